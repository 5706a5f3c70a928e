import { providersIn } from '../row/pool-key.ts'
import { ATTEMPTS_PER_OPERATION as ATTEMPTS, numberOf } from '../row/rows.ts'
import { type Asking, numberFrom, row, rows } from './asking.ts'

/** An ended operation, but none whose workflow step is open: the workflow must read its end first. */
const ENDED = `SELECT id, capability, key, provider FROM operations WHERE id = ANY($1::bigint[])
  AND state IN ('succeeded', 'dead') AND NOT (source = 'workflow' AND EXISTS
  (SELECT 1 FROM workflow_steps s WHERE s.operation = operations.id AND s.state = 'open')) FOR UPDATE`

interface EndedRow {
  id: number
  capability: string
  key: string | null
  provider: string
}

/** Deletes an ended operation and everything that belongs to it; one event remains. */
export function* discard(id: string, now: number): Asking<boolean> {
  const number = numberOf(id) ?? 0
  const deletion = yield* forget([number])
  if (!deletion) return false
  const text = `INSERT INTO events (id, at, type, operation) VALUES ($1, $2, 'discarded', $3)`
  yield* row(text, deletion.event, now, number)
  return true
}

/** Deletes old ended operations, with one event for all. Returns how many were deleted. */
export function* pruneOperations(numbers: readonly number[], now: number): Asking<number> {
  const deletion = yield* forget(numbers)
  if (!deletion) return 0
  const text = `INSERT INTO events (id, at, type, data) VALUES ($1, $2, 'pruned', $3)`
  yield* row(text, deletion.event, now, JSON.stringify({ operations: deletion.count }))
  return deletion.count
}

/** Deletes those that have ended. Undefined if none has; else how many, and the number of the event to write. */
function* forget(numbers: readonly number[]): Asking<{ event: number; count: number } | undefined> {
  const ended = yield* rows<EndedRow>(ENDED, numbers)
  if (ended.length === 0) return undefined
  // Reserved before the deletion: the number that was the highest until now must not be used again.
  const event = yield* numberFrom({ number: true })
  const ids = ended.map(({ id }) => id)
  // Follows the chain of events, and finds attempts by number: neither table has an index by operation.
  yield* row(
    `WITH RECURSIVE chain AS (
      SELECT e.id, e.operation, e.previous FROM operations o JOIN events e ON e.id = o.last_event AND e.operation = o.id
      WHERE o.id = ANY($1::bigint[]) UNION ALL
      SELECT e.id, e.operation, e.previous FROM chain c JOIN events e ON e.id = c.previous AND e.operation = c.operation)
    DELETE FROM events WHERE id IN (SELECT id FROM chain)`,
    ids,
  )
  const attempts = `(SELECT a.id FROM operations o CROSS JOIN attempts a WHERE o.id = ANY($1::bigint[])
    AND a.id BETWEEN o.id * ${ATTEMPTS} AND o.id * ${ATTEMPTS} + o.attempts`
  yield* row(`DELETE FROM failure_texts WHERE attempt IN ${attempts} AND o.class IS NOT NULL)`, ids)
  yield* row(`DELETE FROM attempts WHERE id IN ${attempts})`, ids)
  const providers = [...new Set(ended.flatMap(({ provider }) => providersIn(provider)))]
  if (providers.length > 0)
    yield* row(
      'DELETE FROM operation_providers WHERE provider = ANY($1::text[]) AND operation = ANY($2::bigint[])',
      providers,
      ids,
    )
  for (const [capability, group] of Map.groupBy(ended, ended => ended.capability)) {
    const keys = group.flatMap(({ key }) => key ?? [])
    if (keys.length > 0)
      yield* row(
        'DELETE FROM keys WHERE capability = $1 AND key = ANY($2::text[]) AND operation = ANY($3::bigint[])',
        capability,
        keys,
        ids,
      )
  }
  yield* row('DELETE FROM remembered_steps WHERE operation = ANY($1::bigint[])', ids)
  yield* row('DELETE FROM operations WHERE id = ANY($1::bigint[])', ids)
  return { event, count: ids.length }
}
