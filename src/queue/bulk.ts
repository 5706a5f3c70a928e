import { removeResults } from '../capability/result.ts'
import { present } from '../failure/present.ts'
import type { OperationFilter } from '../ledger/filter.ts'
import type { CancelOutcome } from '../ledger/ledger.ts'
import { pagesOf } from '../ledger/pages.ts'
import {
  type BulkAction,
  type BulkDone,
  type BulkMove,
  type BulkOptions,
  type BulkOutcome,
  type BulkPreview,
  outcomeOf,
  type RepeatOptions,
  type RetryOptions,
} from './bulk-outcome.ts'
import { needsPerson, refuseRepeat } from './needs-person.ts'
import type { QueueDeps } from './queue-deps.ts'
import { existing } from './result.ts'

const PAGE = 1_000
/** How many operations are read again and moved together. */
const STEP = 200

/** Looks at everything that matches; changes nothing. */
export async function previewOf(
  deps: QueueDeps,
  action: BulkAction,
  filter: OperationFilter,
  { asPerson = true }: BulkOptions = {},
): Promise<BulkPreview> {
  const { ledger } = deps
  const moves: BulkMove[] = []
  for await (const operations of pagesOf(page => ledger.list(filter, page), PAGE))
    for (const operation of operations) {
      const { id, capability, state } = operation
      const outcome = outcomeOf(action, operation)
      const why = RUNS_AGAIN.has(outcome) ? await needsPerson(deps, operation) : undefined
      moves.push({
        id,
        capability,
        state,
        outcome: why === undefined || asPerson ? outcome : 'none',
        ...present({ needsPerson: why }),
      })
    }
  const counts = countsOf(moves.map(({ outcome }) => outcome))
  return { action, ...(asPerson ? {} : { asPerson }), total: moves.length, counts, moves }
}

/** Outcomes that may do something a second time. */
const RUNS_AGAIN: ReadonlySet<BulkOutcome> = new Set(['revived', 'unparked'])

/**
 * Does what the preview shows, and nothing else: skips operations that have changed since or may happen twice, and lists
 * them.
 */
export async function carryOut(
  deps: QueueDeps,
  preview: BulkPreview,
  { mayRepeat = false }: RepeatOptions = {},
): Promise<BulkDone> {
  const done: BulkOutcome[] = []
  const left: string[] = []
  const moves = preview.moves.filter(({ outcome }) => outcome !== 'none')
  for (let from = 0; from < moves.length; from += STEP) {
    const step = moves.slice(from, from + STEP)
    const now = await Promise.all(step.map(({ id }) => deps.ledger.get(id)))
    const same: BulkMove[] = []
    for (const [index, each] of step.entries()) {
      const operation = now[index]
      if (operation?.state !== each.state) continue
      // Asked again: it may have been revived and have died once more since the preview.
      if (!mayRepeat && RUNS_AGAIN.has(each.outcome) && (await needsPerson(deps, operation))) continue
      same.push(each)
    }
    const moved = await move(deps, same, { isByPerson: preview.asPerson !== false })
    for (const { id, outcome } of step) {
      if (moved.has(id)) done.push(outcome)
      else left.push(id)
    }
  }
  return { counts: countsOf(done), left }
}

/** Does the same to one operation. Returns `none` if nothing could be done; refuses what may happen twice. */
export async function carryOutOn(
  deps: QueueDeps,
  action: BulkAction,
  id: string,
  { mayRepeat = false, reason }: RetryOptions = {},
): Promise<BulkOutcome> {
  const operation = await existing(deps, id)
  const { capability, state } = operation
  const outcome = outcomeOf(action, operation)
  if (!mayRepeat && RUNS_AGAIN.has(outcome)) await refuseRepeat(deps, operation)
  const moved = await move(deps, [{ id, capability, state, outcome }], { isByPerson: true, reason })
  return moved.has(id) ? outcome : 'none'
}

/** Continues matching parked operations for the given reason. Returns how many. */
export async function unparkAll(deps: QueueDeps, filter: OperationFilter, reason: string): Promise<number> {
  const { moves } = await previewOf(deps, 'retry', { ...filter, state: 'parked' })
  const ids = moves.map(({ id }) => id)
  const moved = await deps.engine.unpark(ids, { by: 'caller', reason })
  return moved.filter(did => did).length
}

/** Who moves operations, and why. */
interface Mover {
  isByPerson: boolean
  reason?: string | undefined
}

type Move = (deps: QueueDeps, ids: readonly string[], mover: Mover) => Promise<readonly boolean[]>

const MOVES: Record<BulkOutcome, Move> = {
  cancelled: ({ engine }, ids) => cancelled(engine.cancel(ids), 'cancelled'),
  requested: ({ engine }, ids) => cancelled(engine.cancel(ids), 'requested'),
  revived: ({ engine }, ids) => engine.revive(ids),
  unparked: ({ engine }, ids, { isByPerson, reason }) =>
    engine.unpark(
      ids,
      isByPerson
        ? { by: 'person', reason: reason ?? 'retried by hand' }
        : { by: 'caller', reason: reason ?? 'retried by its caller' },
    ),
  hastened: ({ engine, time }, ids) => Promise.all(ids.map(id => engine.edit(id, { dueAt: time.now() }))),
  discarded: async ({ engine, settings }, ids) => {
    const did = await engine.discard(ids)
    const gone = ids.filter((_id, index) => did[index])
    if (settings.resultFolder !== undefined) await removeResults(settings.resultFolder, gone)
    return did
  },
  none: async (_deps, ids) => ids.map(() => false),
}

async function move(deps: QueueDeps, moves: readonly BulkMove[], mover: Mover): Promise<ReadonlySet<string>> {
  const moved = new Set<string>()
  for (const [outcome, group] of Map.groupBy(moves, step => step.outcome)) {
    const ids = group.map(({ id }) => id)
    const did = await MOVES[outcome](deps, ids, mover)
    ids.forEach((id, index) => {
      if (did[index]) moved.add(id)
    })
  }
  return moved
}

async function cancelled(
  outcomes: Promise<readonly CancelOutcome[]>,
  expected: CancelOutcome,
): Promise<boolean[]> {
  return (await outcomes).map(outcome => outcome === expected)
}

function countsOf(outcomes: readonly BulkOutcome[]): Partial<Record<BulkOutcome, number>> {
  const counts: Partial<Record<BulkOutcome, number>> = {}
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}
