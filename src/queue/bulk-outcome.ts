import type { Operation, OperationState } from '../ledger/operation.ts'

/** What can be done to many operations at once. */
export type BulkAction = 'cancel' | 'retry' | 'discard'

/** What would happen to an operation. */
export type BulkOutcome =
  /** Ended as cancelled. */
  | 'cancelled'
  /** Its runner gets a request to end it. */
  | 'requested'
  /** A dead operation starts afresh. */
  | 'revived'
  /** A parked operation continues. */
  | 'unparked'
  /** A waiting operation is due at once. */
  | 'hastened'
  /** Deleted, with its history. */
  | 'discarded'
  /** Unchanged: it has ended, or it is running. */
  | 'none'

/** What would happen to one operation. */
export interface BulkStep {
  id: string
  /** Name of its capability. */
  capability: string
  /** Its state when read. */
  state: OperationState
  /** What would happen to it. */
  outcome: BulkOutcome
  /** Why only a person may run it again; left unchanged for any other caller. */
  needsPerson?: string
}

/** On whose behalf operations are changed. */
export interface BulkOptions {
  /**
   * A person asks, and takes responsibility for what earlier tries may have done. Otherwise, an operation that may have taken
   * effect and cannot be checked is not run again. Default true.
   */
  asPerson?: boolean
}

/** Exactly what would happen, to how many operations and to which. */
export interface BulkPreview {
  action: BulkAction
  /** False if no person asks. Default true. */
  asPerson?: boolean
  /** Operations that match the filter. */
  total: number
  /** How many of each outcome. */
  counts: Partial<Record<BulkOutcome, number>>
  /** All matching operations, newest first. */
  steps: readonly BulkStep[]
}

/** What was done. */
export interface BulkDone {
  /** How many of each outcome happened. */
  counts: Partial<Record<BulkOutcome, number>>
  /** Ids of skipped operations: changed since the preview, or the newest of all, whose number must stay taken. */
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

/** What an action does to an operation in this state. */
export function outcomeOf(action: BulkAction, { state }: Pick<Operation, 'state'>): BulkOutcome {
  return OUTCOMES[action][state]
}

/** The preview without what may then happen twice, and the ids of that. */
export function withoutRepeats(preview: BulkPreview): { preview: BulkPreview; left: readonly string[] } {
  const isRepeat = ({ outcome, needsPerson }: BulkStep) => outcome !== 'none' && needsPerson !== undefined
  return {
    preview: { ...preview, steps: preview.steps.filter(step => !isRepeat(step)) },
    left: preview.steps.filter(isRepeat).map(({ id }) => id),
  }
}
