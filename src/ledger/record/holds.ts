import type { Time } from '../../time/time.ts'
import { ENGINE_PREFIX } from '../hold-words.ts'
import type { Operation } from '../operation.ts'
import type { OperationRow } from '../row/operation-row.ts'
import { providersIn } from '../row/pool-key.ts'
import { holderOf } from '../row/provider-access.ts'
import { toOperation } from '../row/to-operation.ts'
import { type Asking, rows } from './asking.ts'
import { changed, operationRow } from './operation-rows.ts'
import { accesses } from './provider-access.ts'
import { STRETCHES } from './stretches.ts'

// An operation is held while it is due and none of its providers lets everything through: computed when somebody asks, never
// stored. Only that another engine has it is stored.

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
