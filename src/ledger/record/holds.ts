import type { Time } from '../../time/time.ts'
import { ENGINE_PREFIX } from '../hold-words.ts'
import type { Operation } from '../operation.ts'
import { OF_DELIVERIES } from '../row/filter-columns.ts'
import type { OperationRow } from '../row/operation-row.ts'
import { providersIn } from '../row/pool-key.ts'
import { holderOf } from '../row/provider-access.ts'
import { toOperation } from '../row/to-operation.ts'
import { type Asking, row, rows } from './asking.ts'
import { changed, operationRow } from './operation-rows.ts'
import { accesses } from './provider-access.ts'

// An operation is held while it is due and none of its providers lets everything through: computed when somebody asks, never
// stored. Only that another engine has it is stored.

/** Operations that this engine has and that wait: what the due index has. */
const WAITS = `state = 'scheduled' AND held_by IS NULL`

/**
 * The capabilities of waiting operations (`c`), and their providers (`p`), by `pool-key.ts`. Each costs one jump in the due index,
 * however much waits. Both end with a row of NULL.
 */
const STRETCHES = `WITH RECURSIVE c(name) AS (
    SELECT min(capability) FROM operations WHERE ${WAITS} UNION ALL
    SELECT (SELECT min(capability) FROM operations WHERE ${WAITS} AND capability > c.name) FROM c WHERE c.name IS NOT NULL),
  p(capability, pool) AS (
    SELECT c.name, (SELECT min(provider) FROM operations WHERE ${WAITS} AND capability = c.name) FROM c
      WHERE c.name IS NOT NULL UNION ALL
    SELECT p.capability, (SELECT min(provider) FROM operations WHERE ${WAITS} AND capability = p.capability
      AND provider > p.pool) FROM p WHERE p.pool IS NOT NULL)`

/** The capabilities of operations that this engine has and that wait. */
export function* waitingCapabilities(): Asking<string[]> {
  const found = yield* rows<{ name: string }>(`${STRETCHES} SELECT name FROM c WHERE name IS NOT NULL`)
  return found.map(({ name }) => name)
}

const POOLS = `${STRETCHES} SELECT DISTINCT pool FROM p WHERE pool <> ''`

/** Which due operations are held: those with these providers, by {@link poolKey}, and for which of them. */
export type Holders = ReadonlyMap<string, string>

const NO_HOLDERS: Holders = new Map()

export function* holders(now: number): Asking<Holders> {
  const states = yield* accesses(now)
  if (states.size === 0) return NO_HOLDERS
  const pools = yield* rows<{ pool: string }>(POOLS)
  return new Map(
    pools.flatMap(({ pool }) => {
      const holder = holderOf(providersIn(pool), states)
      return holder === undefined ? [] : [[pool, holder]]
    }),
  )
}

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

/** Which operations a filter by what holds them means: those that this engine has, or due ones with these providers. */
export type Held = { engine: string } | { pools: readonly string[]; now: number }

export function* heldBy(holder: string, now: number): Asking<Held> {
  if (holder.startsWith(ENGINE_PREFIX)) return { engine: holder }
  const held = yield* holders(now)
  return { pools: [...held].flatMap(([pool, by]) => (by === holder ? [pool] : [])), now }
}

/** The operations of these rows, each with what holds it. */
export function* operationsOf(found: readonly OperationRow[], now: number): Asking<Operation[]> {
  const mayBeHeld = ({ state, held_by, due_at, provider }: OperationRow) =>
    state === 'scheduled' && held_by === null && due_at <= now && provider !== ''
  const states = found.some(mayBeHeld) ? yield* accesses(now) : undefined
  return found.map(row =>
    toOperation(row, states && mayBeHeld(row) ? holderOf(providersIn(row.provider), states) : undefined),
  )
}

/** Records that another engine has a scheduled operation, so that no runner claims it. */
export function* handToEngine(id: string, engine: string, time: Time): Asking<boolean> {
  const found = yield* operationRow(id, 'scheduled')
  if (!found || found.held_by === engine) return false
  yield* changed(found, {
    at: time.now(),
    type: 'held',
    data: { by: engine },
    set: 'since = $1, held_by = $7',
    values: [engine],
  })
  return true
}
