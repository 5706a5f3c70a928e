import { DELIVERY_STATES } from '../delivery.ts'
import { DISPOSITIONS, NOTICE_PRIORITIES } from '../notice.ts'
import { MOST_MODELS, MOST_SAMPLES } from '../unknown.ts'
import { HIGHEST_NUMBER } from './numbering.ts'
import type { Promised } from './promised.ts'

/** The schema version that added these tables. */
const SINCE = 5

const quoted = (words: readonly string[]) => words.map(word => `'${word}'`).join(', ')

/** Promises about the rows of unknowns, labels, notices and deliveries. */
export const PROMISES_BESIDE_OPERATIONS: readonly Promised[] = [
  {
    rule: 'unknown_was_seen',
    since: SINCE,
    sql: `SELECT id, fingerprint AS more FROM unknowns WHERE parked + failover + ended < 1
      OR min(parked, failover, ended) < 0 OR first_seen_at > last_seen_at`,
    says: ({ more }) => `the unknown ${more} has invalid counts, or was last seen before it was first seen`,
  },
  {
    rule: 'unknown_is_bounded',
    since: SINCE,
    sql: `SELECT id, fingerprint AS more FROM unknowns WHERE NOT json_valid(models) OR NOT json_valid(samples)
      OR json_array_length(models) > ${MOST_MODELS} OR json_array_length(samples) NOT BETWEEN 1 AND ${MOST_SAMPLES}`,
    says: ({ more }) =>
      `the unknown ${more} should have 1 to ${MOST_SAMPLES} samples and at most ${MOST_MODELS} models`,
  },
  {
    rule: 'unknown_is_escalated_once',
    since: SINCE,
    sql: `SELECT min(id) AS id, fingerprint AS more FROM unknowns GROUP BY fingerprint
      HAVING count(escalated_at) NOT IN (0, count(*))`,
    says: ({ more }) => `${more} is escalated for one of its providers but not for another`,
  },
  {
    rule: 'withdrawn_label_has_its_fields',
    since: SINCE,
    sql: `SELECT id, fingerprint AS more FROM labels WHERE (withdrawn_at IS NULL) <> (withdrawn_by IS NULL)
      OR (replaced_by IS NOT NULL AND (withdrawn_at IS NULL OR replaced_by <= id))`,
    says: ({ id, more }) =>
      `label_${id} of ${more} was withdrawn by no one, or is replaced but still in force`,
  },
  {
    rule: 'label_is_replaced_by_its_own_kind',
    since: SINCE,
    sql: `SELECT l.id, l.fingerprint AS more FROM labels l LEFT JOIN labels n ON n.id = l.replaced_by
      WHERE l.replaced_by IS NOT NULL AND (n.fingerprint IS NOT l.fingerprint OR n.provider IS NOT l.provider)`,
    says: ({ id, more }) =>
      `label_${id} of ${more} is replaced by a label of another fingerprint or provider`,
  },
  {
    rule: 'notice_has_its_words',
    since: SINCE,
    sql: `SELECT id, key AS more FROM notices WHERE disposition NOT IN (${quoted(DISPOSITIONS)})
      OR priority NOT IN (${quoted(NOTICE_PRIORITIES)}) OR (read_by IS NOT NULL AND read_at IS NULL)`,
    says: ({ id, more }) =>
      `notice_${id} (${more}) has an invalid disposition or priority, or a reader without a time`,
  },
  {
    rule: 'notice_within_events',
    since: SINCE,
    sql: `SELECT id, event AS more FROM notices WHERE event > ${HIGHEST_NUMBER} OR operation > ${HIGHEST_NUMBER}`,
    says: ({ id, more }) => `notice_${id} refers to event ${more}, or to an operation, that does not exist`,
  },
  {
    rule: 'delivery_has_notice',
    since: SINCE,
    sql: `SELECT d.id, d.notice AS more FROM deliveries d LEFT JOIN notices n ON n.id = d.notice WHERE n.id IS NULL`,
    says: ({ id, more }) => `delivery_${id} is for notice_${more}, which does not exist`,
  },
  {
    rule: 'delivery_has_its_fields',
    since: SINCE,
    sql: `SELECT id, state AS more FROM deliveries WHERE state NOT IN (${quoted(DELIVERY_STATES)})
      OR (state = 'pending') <> (settled_at IS NULL) OR (reference IS NOT NULL AND state <> 'delivered')
      OR (state = 'failed') <> (reason IS NOT NULL)`,
    says: ({ id, more }) => `delivery_${id} is ${more}, but has fields of another state, or lacks its own`,
  },
]
