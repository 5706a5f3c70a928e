import type { Time } from '../../time/time.ts'
import type { Old } from '../record/pruning.ts'
import type { PostgresTransaction } from './postgres-transaction.ts'

/**
 * An operation stays while its key is valid, because the same key must not run it again; and while it is a workflow step
 * whose end has not been recorded.
 */
const ENDED = `SELECT id FROM operations WHERE state = $1 AND state IN ('succeeded', 'dead') AND ended_at < $2 AND id > $3
  AND (key IS NULL OR ended_at + key_retention_ms < $4) AND NOT (source = 'workflow' AND EXISTS
  (SELECT 1 FROM workflow_steps s WHERE s.operation = operations.id AND s.state = 'open')) ORDER BY id LIMIT $5 FOR UPDATE SKIP LOCKED`

/** Deletes ended operations, the oldest first, in steps. Returns how many. */
export async function forgetEnded(
  { state, endedBefore, most, step }: Old,
  time: Time,
  transaction: <T>(work: (writes: PostgresTransaction) => Promise<T>) => Promise<T>,
  signal?: AbortSignal,
): Promise<number> {
  let total = 0
  for (let last = 0; total < most; ) {
    signal?.throwIfAborted()
    const limit = Math.min(step, most - total)
    const found = await transaction(async writes => {
      const values = [state, endedBefore, last, time.now(), limit]
      const ids = (await writes.sql.rows<{ id: number }>(ENDED, values)).map(({ id }) => id)
      await writes.prune(ids)
      return ids
    })
    total += found.length
    if (found.length < limit) break
    last = found.at(-1) as number
  }
  return total
}
