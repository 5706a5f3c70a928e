import type { DatabaseSync } from 'node:sqlite'
import { ENGINE_PREFIX } from '../hold-words.ts'
import { LAST_EVENTS } from '../row/last-events.ts'
import { ATTEMPTS_PER_OPERATION as ATTEMPTS, operationOfAttempt, toId } from '../row/rows.ts'
import type { Finding } from '../upkeep.ts'
import { HIGHEST_NUMBER } from './numbering.ts'
import type { Promised } from './promised.ts'
import { PROMISES_BESIDE_OPERATIONS } from './promises-beside-operations.ts'
import { PROMISES_OF_WORKFLOWS } from './promises-of-workflows.ts'

/** Maximum number of findings per promise; the first ones say enough. */
const TOLD = 20

const whenState = ([state, types]: [string, readonly string[]]) =>
  `WHEN '${state}' THEN coalesce(e.type, 'submitted') IN (${types.map(type => `'${type}'`).join(', ')})`

/** The last number of an operation: those of its attempts still fit into a number of JavaScript. */
const LAST_OPERATION = Math.floor(Number.MAX_SAFE_INTEGER / ATTEMPTS) - 1

/** The last moment that a date of JavaScript can name, in milliseconds. */
const LAST_TIME = 8.64e15

/** Numbers that we never give: what reads them would fail, or take one row for another. Checked before everything else. */
const NUMBERED: Promised = {
  rule: 'numbers_can_be_ours',
  sql: `SELECT 0 AS id, what || ' ' || number AS more FROM (
    SELECT 'operation' AS what, id AS number FROM operations WHERE id NOT BETWEEN 1 AND ${LAST_OPERATION}
    UNION ALL SELECT 'event', id FROM events WHERE id NOT BETWEEN 1 AND ${Number.MAX_SAFE_INTEGER}
    UNION ALL SELECT 'attempt', id FROM attempts WHERE id NOT BETWEEN 1 AND ${Number.MAX_SAFE_INTEGER}
    UNION ALL SELECT 'the key of operation', operation FROM keys WHERE operation NOT BETWEEN 1 AND ${LAST_OPERATION}
    UNION ALL SELECT 'a time of operation', id FROM operations
      WHERE ${['created_at', 'updated_at', 'due_at', 'ended_at'].map(column => `abs(${column}) > ${LAST_TIME}`).join(' OR ')}
    UNION ALL SELECT 'the time of event', id FROM events WHERE abs(at) > ${LAST_TIME}
    UNION ALL SELECT 'the lease of operation', operation FROM leases WHERE operation NOT BETWEEN 1 AND ${LAST_OPERATION})`,
  says: ({ more }) => `${more} is none that a ledger gives: somebody else wrote it`,
}

/** Promises about the rows of operations and everything that belongs to them. */
export const PROMISES: readonly Promised[] = [
  {
    rule: 'running_is_leased',
    sql: `SELECT o.id, o.run AS more FROM operations o LEFT JOIN leases l ON l.operation = o.id AND l.run = o.run
      WHERE o.state = 'running' AND l.operation IS NULL`,
    says: ({ id, more }) => `${toId(id)} is running as run ${more}, but that run has no lease`,
  },
  {
    rule: 'leased_is_running',
    sql: `SELECT l.operation AS id, l.run AS more FROM leases l LEFT JOIN operations o ON o.id = l.operation
      WHERE o.state IS NOT 'running' OR o.run <> l.run`,
    says: ({ id, more }) =>
      `there is a lease on run ${more} of ${toId(id)}, but it is not running as that run`,
  },
  {
    rule: 'attempts_are_numbered',
    sql: `SELECT o.id, o.attempts AS more FROM operations o WHERE o.attempts <> (SELECT count(*) FROM attempts a
      WHERE a.id > o.id * ${ATTEMPTS} AND a.id <= o.id * ${ATTEMPTS} + o.attempts)`,
    says: ({ id, more }) => `${toId(id)} should have ${more} attempts, numbered without gaps, but does not`,
  },
  {
    rule: 'attempt_has_operation',
    sql: `SELECT a.id, o.attempts AS more FROM attempts a LEFT JOIN operations o ON o.id = a.id / ${ATTEMPTS}
      WHERE o.id IS NULL OR a.id % ${ATTEMPTS} > o.attempts OR a.id % ${ATTEMPTS} = 0`,
    says: ({ id }) =>
      `attempt ${id % ATTEMPTS} of ${toId(operationOfAttempt(id))} exists, but the operation does not count it`,
  },
  {
    rule: 'attempt_of_a_run',
    sql: `SELECT a.id, a.run AS more FROM attempts a JOIN operations o ON o.id = a.id / ${ATTEMPTS}
      WHERE a.run > o.run OR a.run < 1`,
    says: ({ id, more }) =>
      `an attempt of ${toId(operationOfAttempt(id))} names run ${more}, which does not exist`,
  },
  {
    rule: 'event_has_operation',
    sql: `SELECT e.id, e.operation AS more FROM events e LEFT JOIN operations o ON o.id = e.operation
      WHERE e.operation IS NOT NULL AND o.id IS NULL AND e.type <> 'discarded'`,
    says: ({ id, more }) => `event ${id} is about ${toId(more as number)}, which does not exist`,
  },
  {
    rule: 'last_event_is_the_last',
    sql: `SELECT o.id, o.last_event AS more FROM operations o LEFT JOIN events e ON e.id = o.last_event
      WHERE o.last_event <> o.id AND e.operation IS NOT o.id
      UNION ALL SELECT o.id, o.last_event FROM events e JOIN operations o ON o.id = e.operation
      WHERE e.id > o.last_event`,
    says: ({ id, more }) =>
      `${toId(id)} names event ${more} as its last, but that event is not about it or not its last`,
  },
  {
    rule: 'events_are_chained',
    sql: `SELECT e.id, e.previous AS more FROM events e LEFT JOIN events p ON p.id = e.previous
      WHERE e.operation IS NOT NULL AND e.type <> 'discarded' AND (e.id <= e.operation
      OR (e.previous IS NOT e.operation AND (p.operation IS NOT e.operation OR p.id >= e.id)))`,
    says: ({ id, more }) =>
      `event ${id} follows ${more === null ? 'nothing' : `event ${more}`}, which is not an earlier event of the same operation`,
  },
  {
    // The steps of a chain add up to its length; an event outside it adds more.
    rule: 'events_are_in_one_chain',
    sql: `SELECT steps - lengths AS id, NULL AS more FROM
      (SELECT coalesce(sum(e.id - e.previous), 0) AS steps FROM events e JOIN operations o ON o.id = e.operation),
      (SELECT coalesce(sum(last_event - id), 0) AS lengths FROM operations) WHERE steps <> lengths`,
    says: () => 'some events of operations are missing from their timelines',
  },
  {
    rule: 'state_follows_its_event',
    sql: `SELECT o.id, o.state || ' after ' || coalesce(e.type, 'submitted') AS more
      FROM operations o LEFT JOIN events e ON e.id = o.last_event AND o.last_event <> o.id WHERE NOT CASE o.state
      ${Object.entries(LAST_EVENTS).map(whenState).join(' ')} ELSE FALSE END`,
    says: ({ id, more }) => `${toId(id)} is ${more}, but that event does not lead to this state`,
  },
  {
    rule: 'numbers_are_used_once',
    sql: 'SELECT o.id, e.type AS more FROM operations o JOIN events e ON e.id = o.id',
    says: ({ id, more }) => `${toId(id)} and an event (${more}) have the same number`,
  },
  {
    rule: 'state_has_its_fields',
    sql: `SELECT id, state AS more FROM operations WHERE (state = 'parked') <> (parked_for IS NOT NULL)
      OR (state = 'dead') <> (dead_as IS NOT NULL) OR (state IN ('succeeded', 'dead')) <> (ended_at IS NOT NULL)
      OR (held_by IS NOT NULL AND state <> 'scheduled') OR (state = 'running' AND run < 1)`,
    says: ({ id, more }) => `${toId(id)} is ${more}, but has fields of another state, or lacks its own`,
  },
  {
    // Nobody else would ever hand it back.
    rule: 'held_by_its_own_engine',
    sql: `SELECT id, held_by AS more FROM operations WHERE held_by IS NOT NULL
      AND (held_by NOT LIKE '${ENGINE_PREFIX}%' OR substr(capability, 1, length(held_by) + 1) <> held_by || '/')`,
    says: ({ id, more }) => `${toId(id)} is held by ${more}, which does not dispatch it`,
  },
  {
    rule: 'key_has_operation',
    sql: `SELECT k.operation AS id, k.key AS more FROM keys k LEFT JOIN operations o ON o.id = k.operation
      WHERE o.id IS NULL OR o.capability <> k.capability`,
    says: ({ id, more }) => `the key ${JSON.stringify(more)} points to ${toId(id)}, which does not exist`,
  },
  {
    rule: 'provider_has_operation',
    sql: `SELECT p.operation AS id, p.provider AS more FROM operation_providers p
      LEFT JOIN operations o ON o.id = p.operation WHERE o.id IS NULL`,
    says: ({ id, more }) => `${more} is listed as a provider of ${toId(id)}, which does not exist`,
  },
  {
    rule: 'operation_has_provider',
    sql: `SELECT o.id, p.value AS more FROM operations o,
      json_each(CASE WHEN o.provider LIKE '[%' THEN o.provider ELSE json_array(o.provider) END) p
      WHERE o.provider <> '' AND NOT EXISTS
      (SELECT 1 FROM operation_providers l WHERE l.provider = p.value AND l.operation = o.id)`,
    says: ({ id, more }) => `${toId(id)} has the provider ${more}, but is not listed under it`,
  },
  {
    // An operation revived after its key expired may have lost the key to another one, which may be gone by now.
    rule: 'operation_has_key',
    sql: `SELECT id, key AS more FROM operations o WHERE key IS NOT NULL AND ended_at IS NULL AND NOT EXISTS
      (SELECT 1 FROM keys k WHERE k.capability = o.capability AND k.key = o.key)
      AND NOT EXISTS (SELECT 1 FROM events e WHERE e.operation = o.id AND e.type = 'revived')`,
    says: ({ id, more }) => `the key ${JSON.stringify(more)} of ${toId(id)} is not registered`,
  },
  {
    rule: 'failure_has_text',
    sql: `SELECT a.id, NULL AS more FROM attempts a WHERE a.failure IS NOT NULL AND NOT EXISTS
      (SELECT 1 FROM failure_texts t WHERE t.rowid = a.id)`,
    says: ({ id }) =>
      `the failure of attempt ${id % ATTEMPTS} of ${toId(operationOfAttempt(id))} is missing from the text search`,
  },
  {
    rule: 'times_rise_between_jumps',
    sql: `SELECT id, created_at AS more FROM (SELECT id, created_at, lag(created_at) OVER (ORDER BY id) AS before_at,
      lag(id) OVER (ORDER BY id) AS before FROM operations) o WHERE created_at < before_at AND NOT EXISTS
      (SELECT 1 FROM clock_jumps WHERE first > o.before AND first <= o.id)`,
    says: ({ id }) => `${toId(id)} was created before the previous operation, but no clock jump is recorded`,
  },
  {
    rule: 'cursor_within_events',
    sql: `SELECT c.event AS id, c.consumer AS more FROM cursors c
      WHERE c.event > ${HIGHEST_NUMBER}`,
    says: ({ id, more }) => `${more} has read up to event ${id}, which does not exist`,
  },
]

/** Checks every promise against the rows. Reads everything: use it on copies and at quiet times. */
export function checkLedger(db: DatabaseSync): Finding[] {
  const storage = (db.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[])
    .map(row => row.integrity_check)
    .filter(text => text !== 'ok')
    .slice(0, TOLD)
    .map(text => ({ rule: 'storage', message: text }))
  if (storage.length > 0) return storage
  const foreign = broken(db, NUMBERED)
  if (foreign.length > 0) return foreign
  const { user_version: version } = db.prepare('PRAGMA user_version').get() as { user_version: number }
  // A copy made by an older version lacks later additions.
  const promises = [...PROMISES, ...PROMISES_BESIDE_OPERATIONS, ...PROMISES_OF_WORKFLOWS].filter(
    ({ since = 0 }) => version >= since,
  )
  return promises.flatMap(promise => broken(db, promise))
}

function broken(db: DatabaseSync, { rule, sql, says }: Promised): Finding[] {
  const rows = db.prepare(`${sql} LIMIT ${TOLD}`).all() as unknown as { id: number; more: unknown }[]
  return rows.map(row => ({ rule, message: says(row) }))
}
