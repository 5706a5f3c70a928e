import { removeResults } from '../capability/result.ts'
import type { OperationFilter } from '../ledger/filter.ts'
import type { CancelOutcome } from '../ledger/ledger.ts'
import {
  type BulkAction,
  type BulkDone,
  type BulkOutcome,
  type BulkPreview,
  type BulkStep,
  outcomeOf,
} from './bulk-outcome.ts'
import type { QueueDeps } from './queue-deps.ts'
import { existing } from './result.ts'

const PAGE = 1_000
/** Operations that are looked at again and moved together. */
const STEP = 200

/** Looks at everything that matches; nothing is changed. */
export async function previewOf(
  { ledger }: QueueDeps,
  action: BulkAction,
  filter: OperationFilter,
): Promise<BulkPreview> {
  const steps: BulkStep[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await ledger.list(filter, { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) })
    for (const operation of page.items) {
      const { id, capability, state } = operation
      steps.push({ id, capability, state, outcome: outcomeOf(action, operation) })
    }
    cursor = page.next
    if (cursor === undefined) break
  }
  const counts = countsOf(steps.map(({ outcome }) => outcome))
  return { action, total: steps.length, counts, steps }
}

/** Does what the preview says, and nothing else: what has changed since is left alone and named. */
export async function carryOut(deps: QueueDeps, preview: BulkPreview): Promise<BulkDone> {
  const done: BulkOutcome[] = []
  const left: string[] = []
  const steps = preview.steps.filter(({ outcome }) => outcome !== 'none')
  for (let from = 0; from < steps.length; from += STEP) {
    const step = steps.slice(from, from + STEP)
    const now = await Promise.all(step.map(({ id }) => deps.ledger.get(id)))
    const same = step.filter(({ state }, index) => now[index]?.state === state)
    const moved = await move(deps, same)
    for (const { id, outcome } of step) {
      if (moved.has(id)) done.push(outcome)
      else left.push(id)
    }
  }
  return { counts: countsOf(done), left }
}

/** Does the same to one operation. Gives `none` if nothing could be done. */
export async function carryOutOn(deps: QueueDeps, action: BulkAction, id: string): Promise<BulkOutcome> {
  const operation = await existing(deps, id)
  const { capability, state } = operation
  const outcome = outcomeOf(action, operation)
  const step = { id, capability, state, outcome }
  const { counts } = await carryOut(deps, { action, total: 1, counts: {}, steps: [step] })
  return counts[outcome] === 1 ? outcome : 'none'
}

/** Parked operations that match go on, because of what `reason` says. Gives how many did. */
export async function unparkAll(deps: QueueDeps, filter: OperationFilter, reason: string): Promise<number> {
  const { steps } = await previewOf(deps, 'retry', { ...filter, state: 'parked' })
  const ids = steps.map(({ id }) => id)
  const moved = await deps.engine.unpark(ids, { by: 'caller', reason })
  return moved.filter(did => did).length
}

type Move = (deps: QueueDeps, ids: readonly string[]) => Promise<readonly boolean[]>

const MOVES: Record<BulkOutcome, Move> = {
  cancelled: ({ engine }, ids) => cancelled(engine.cancel(ids), 'cancelled'),
  requested: ({ engine }, ids) => cancelled(engine.cancel(ids), 'requested'),
  revived: ({ engine }, ids) => engine.revive(ids),
  unparked: ({ engine }, ids) => engine.unpark(ids, { by: 'person', reason: 'retried by hand' }),
  hastened: ({ engine, time }, ids) => Promise.all(ids.map(id => engine.edit(id, { dueAt: time.now() }))),
  discarded: async ({ engine, settings }, ids) => {
    const did = await engine.discard(ids)
    const gone = ids.filter((_id, index) => did[index])
    if (settings.resultFolder !== undefined) await removeResults(settings.resultFolder, gone)
    return did
  },
  none: async (_deps, ids) => ids.map(() => false),
}

async function move(deps: QueueDeps, steps: readonly BulkStep[]): Promise<ReadonlySet<string>> {
  const moved = new Set<string>()
  for (const [outcome, group] of Map.groupBy(steps, step => step.outcome)) {
    const ids = group.map(({ id }) => id)
    const did = await MOVES[outcome](deps, ids)
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
