import { OF_DELIVERIES } from '../row/of-deliveries.ts'
import { type Asking, row } from './asking.ts'
import { holders } from './holds.ts'
import { STRETCHES, WAITS } from './stretches.ts'

/** Of held operations only those count that are due later. */
const NEXT = `${STRETCHES},
  r(capability, pool, rank) AS (
    SELECT p.capability, p.pool, (SELECT min(rank) FROM operations WHERE ${WAITS} AND capability = p.capability
      AND provider = p.pool) FROM p WHERE p.pool IS NOT NULL AND ${OF_DELIVERIES.without} UNION ALL
    SELECT r.capability, r.pool, (SELECT min(rank) FROM operations WHERE ${WAITS} AND capability = r.capability
      AND provider = r.pool AND rank > r.rank) FROM r WHERE r.rank IS NOT NULL)
  SELECT min((SELECT min(due_at) FROM operations WHERE ${WAITS} AND capability = r.capability AND provider = r.pool
    AND rank = r.rank AND due_at > CASE WHEN r.pool = ANY($1::text[]) THEN $2::bigint ELSE -1 END)) AS at
  FROM r WHERE r.rank IS NOT NULL`

/** When the next operation is due that is not held: reads the first entry of each stretch of the due index. */
export function* nextDueAt(now: number): Asking<number | undefined> {
  const found = yield* row<{ at: number | null }>(NEXT, [...(yield* holders(now)).keys()], now)
  return found?.at ?? undefined
}
