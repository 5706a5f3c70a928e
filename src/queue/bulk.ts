import { removeResults } from '../capability/index.ts'
import type { CancelOutcome, Operation, OperationFilter, OperationState } from '../ledger/index.ts'
import type { Surroundings } from './surroundings.ts'

/** What can be done to many operations at once. */
export type BulkAction = 'cancel' | 'retry' | 'discard'

/** What would happen to an operation. */
export type BulkOutcome =
  /** Ended as cancelled. */
  | 'cancelled'
  /** Its runner is told to end it. */
  | 'requested'
  /** A dead one starts afresh. */
  | 'revived'
  /** A parked one goes on. */
  | 'unparked'
  /** A waiting one is due at once. */
  | 'hastened'
  /** Forgotten, with its history. */
  | 'discarded'
  /** It is not touched: it has ended, or runs. */
  | 'none'

export interface BulkStep {
  id: string
  capability: string
  state: OperationState
  outcome: BulkOutcome
}

/** Exactly what would happen, to how many and which. */
export interface BulkPreview {
  action: BulkAction
  /** Operations that match the filter. */
  total: number
  counts: Partial<Record<BulkOutcome, number>>
  /** All that match, newest first. */
  steps: readonly BulkStep[]
}

export interface BulkDone {
  counts: Partial<Record<BulkOutcome, number>>
  /** Left alone: changed since the preview; or the newest of all, whose number has to stay taken. */
  left: readonly string[]
}

const OUTCOMES: Record<BulkAction, Record<OperationState, BulkOutcome>> = {
  cancel: {
    scheduled: 'cancelled',
    parked: 'cancelled',
    running: 'requested',
    succeeded: 'none',
    dead: 'none',
  },
  retry: { scheduled: 'hastened', parked: 'unparked', running: 'none', succeeded: 'none', dead: 'revived' },
  discard: { scheduled: 'none', parked: 'none', running: 'none', succeeded: 'discarded', dead: 'discarded' },
}

const PAGE = 1_000
/** Operations that are looked at again and moved together. */
const STEP = 200

export function outcomeOf(action: BulkAction, { state }: Pick<Operation, 'state'>): BulkOutcome {
  return OUTCOMES[action][state]
}

/** Looks at everything that matches; nothing is changed. */
export async function previewOf(
  { ledger }: Surroundings,
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
export async function carryOut(surroundings: Surroundings, preview: BulkPreview): Promise<BulkDone> {
  const done: BulkOutcome[] = []
  const left: string[] = []
  const steps = preview.steps.filter(({ outcome }) => outcome !== 'none')
  for (let from = 0; from < steps.length; from += STEP) {
    const step = steps.slice(from, from + STEP)
    const now = await Promise.all(step.map(({ id }) => surroundings.ledger.get(id)))
    const same = step.filter(({ state }, index) => now[index]?.state === state)
    const moved = await move(surroundings, same)
    for (const { id, outcome } of step) {
      if (moved.has(id)) done.push(outcome)
      else left.push(id)
    }
  }
  return { counts: countsOf(done), left }
}

type Move = (surroundings: Surroundings, ids: readonly string[]) => Promise<readonly boolean[]>

const MOVES: Record<BulkOutcome, Move> = {
  cancelled: ({ engine }, ids) => cancelled(engine.cancel(ids), 'cancelled'),
  requested: ({ engine }, ids) => cancelled(engine.cancel(ids), 'requested'),
  revived: ({ engine }, ids) => engine.revive(ids),
  unparked: ({ engine }, ids) => engine.unpark(ids, ASKED),
  hastened: ({ engine, time }, ids) => Promise.all(ids.map(id => engine.edit(id, { dueAt: time.now() }))),
  discarded: async ({ engine, settings }, ids) => {
    const did = await engine.discard(ids)
    const gone = ids.filter((_id, index) => did[index])
    if (settings.resultFolder !== undefined) await removeResults(settings.resultFolder, gone)
    return did
  },
  none: async (_surroundings, ids) => ids.map(() => false),
}

/** Why a parked operation goes on that nothing else has moved. */
export const ASKED = 'a person asked for it'

async function move(surroundings: Surroundings, steps: readonly BulkStep[]): Promise<ReadonlySet<string>> {
  const moved = new Set<string>()
  for (const [outcome, group] of Map.groupBy(steps, step => step.outcome)) {
    const ids = group.map(({ id }) => id)
    const did = await MOVES[outcome](surroundings, ids)
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
