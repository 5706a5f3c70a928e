import type { DatabaseSync } from 'node:sqlite'
import type { Finding } from '../upkeep.ts'
import { HIGHEST_NUMBER } from './numbering.ts'
import { operationOfAttempt, toId } from './rows.ts'

interface Promised {
  rule: string
  /** Finds rows that break it: `id` of the operation or row, and `more` about it. */
  sql: string
  says: (row: { id: number; more: unknown }) => string
}

/** Findings per promise that are told; the first ones say enough. */
const TOLD = 20

const PROMISES: readonly Promised[] = [
  {
    rule: 'running_is_leased',
    sql: `SELECT o.id, o.run AS more FROM operations o LEFT JOIN leases l ON l.operation = o.id AND l.run = o.run
      WHERE o.state = 'running' AND l.operation IS NULL`,
    says: ({ id, more }) => `${toId(id)} is running as run ${more}, and nobody has a lease on that run`,
  },
  {
    rule: 'leased_is_running',
    sql: `SELECT l.operation AS id, l.run AS more FROM leases l LEFT JOIN operations o ON o.id = l.operation
      WHERE o.state IS NOT 'running' OR o.run <> l.run`,
    says: ({ id, more }) => `there is a lease on run ${more} of ${toId(id)}, which is not running as that`,
  },
  {
    rule: 'attempts_are_numbered',
    sql: `SELECT o.id, o.attempts AS more FROM operations o WHERE o.attempts <> (SELECT count(*) FROM attempts a
      WHERE a.id > o.id * 65536 AND a.id <= o.id * 65536 + o.attempts)`,
    says: ({ id, more }) => `${toId(id)} says it has ${more} attempts, numbered without gaps, and does not`,
  },
  {
    rule: 'attempt_has_operation',
    sql: `SELECT a.id, o.attempts AS more FROM attempts a LEFT JOIN operations o ON o.id = a.id / 65536
      WHERE o.id IS NULL OR a.id % 65536 > o.attempts OR a.id % 65536 = 0`,
    says: ({ id }) =>
      `there is an attempt ${id % 65_536} of ${toId(operationOfAttempt(id))} that it does not know`,
  },
  {
    rule: 'attempt_of_a_run',
    sql: `SELECT a.id, a.run AS more FROM attempts a JOIN operations o ON o.id = a.id / 65536
      WHERE a.run > o.run OR a.run < 1`,
    says: ({ id, more }) =>
      `an attempt of ${toId(operationOfAttempt(id))} names run ${more}, which never was`,
  },
  {
    rule: 'event_has_operation',
    sql: `SELECT e.id, e.operation AS more FROM events e LEFT JOIN operations o ON o.id = e.operation
      WHERE e.operation IS NOT NULL AND o.id IS NULL AND e.type <> 'discarded'`,
    says: ({ id, more }) => `event ${id} is about ${toId(more as number)}, which is not there`,
  },
  {
    rule: 'last_event_is_the_last',
    sql: `SELECT o.id, o.last_event AS more FROM operations o LEFT JOIN events e ON e.id = o.last_event
      WHERE o.last_event <> o.id AND e.operation IS NOT o.id`,
    says: ({ id, more }) => `the last event of ${toId(id)} should be ${more}, which is not about it`,
  },
  {
    rule: 'events_are_chained',
    sql: `SELECT e.id, e.previous AS more FROM events e LEFT JOIN events p ON p.id = e.previous
      WHERE e.operation IS NOT NULL AND e.type <> 'discarded' AND e.previous IS NOT e.operation
      AND (p.operation IS NOT e.operation OR p.id >= e.id)`,
    says: ({ id, more }) => `event ${id} follows event ${more}, which is not of the same operation`,
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
    says: ({ id, more }) => `${toId(id)} is ${more} and has fields of another state, or lacks its own`,
  },
  {
    rule: 'key_has_operation',
    sql: `SELECT k.operation AS id, k.key AS more FROM keys k LEFT JOIN operations o ON o.id = k.operation
      WHERE o.id IS NULL OR o.capability <> k.capability`,
    says: ({ id, more }) => `the key ${JSON.stringify(more)} stands for ${toId(id)}, which is not there`,
  },
  {
    rule: 'provider_has_operation',
    sql: `SELECT p.operation AS id, p.provider AS more FROM operation_providers p
      LEFT JOIN operations o ON o.id = p.operation WHERE o.id IS NULL`,
    says: ({ id, more }) => `${more} is listed as provider of ${toId(id)}, which is not there`,
  },
  {
    rule: 'cursor_within_events',
    sql: `SELECT c.event AS id, c.consumer AS more FROM cursors c
      WHERE c.event > ${HIGHEST_NUMBER}`,
    says: ({ id, more }) => `${more} has read up to event ${id}, which never happened`,
  },
]

/** Holds every promise against the rows. Reads everything: for copies and for quiet hours. */
export function checkLedger(db: DatabaseSync): Finding[] {
  const storage = (db.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[])
    .map(row => row.integrity_check)
    .filter(text => text !== 'ok')
    .slice(0, TOLD)
    .map(text => ({ rule: 'storage', message: text }))
  if (storage.length > 0) return storage
  return PROMISES.flatMap(({ rule, sql, says }) => {
    const rows = db.prepare(`${sql} LIMIT ${TOLD}`).all() as unknown as { id: number; more: unknown }[]
    return rows.map(row => ({ rule, message: says(row) }))
  })
}
