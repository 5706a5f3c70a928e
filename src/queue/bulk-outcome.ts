import { engineOf } from '../ledger/citizen.ts'
import type { Operation, OperationState } from '../ledger/operation.ts'

/** What can be done to many operations at once. */
export type BulkAction = 'cancel' | 'retry' | 'discard'

/** What would happen to an operation. */
export type BulkOutcome =
  /** Ended as cancelled. */
  | 'cancelled'
  /** Its runner gets a request to end it. */
  | 'requested'
  /** A dead operation runs again. */
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
export interface BulkMove {
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

/** Whether something may happen twice. */
export interface RepeatOptions {
  /** Run it again even if it may already have taken effect and nothing can check that. Default false: it is refused. */
  mayRepeat?: boolean
}

/** How one operation is run again. */
export interface RetryOptions extends RepeatOptions {
  /** Why, for the history of a parked operation. Default `retried by hand`. */
  reason?: string
}

/** On whose behalf operations are changed. */
export interface BulkOptions {
  /**
   * A person asks, who may then accept that something happens twice. For any other caller, what may already have taken effect and
   * cannot be checked is left unchanged. Default true.
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
  moves: readonly BulkMove[]
}

/** What was done. */
export interface BulkDone {
  /** How many of each outcome happened. */
  counts: Partial<Record<BulkOutcome, number>>
  /**
   * Ids of skipped operations: changed since the preview, not to be run twice, or the newest of all, whose number must stay
   * taken.
   */
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
export function outcomeOf(
  action: BulkAction,
  { state, capability }: Pick<Operation, 'state' | 'capability'>,
): BulkOutcome {
  const outcome = OUTCOMES[action][state]
  // The engine that has a citizen is asked to end it.
  return outcome === 'cancelled' && engineOf(capability) !== undefined ? 'requested' : outcome
}
