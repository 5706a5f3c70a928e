import type { Operation } from '../ledger/operation.ts'
import type { StepRecordState } from '../ledger/workflow-run.ts'

/** The states of a step. The last three end it. */
export const STEP_STATES = [
  'pending',
  'ready',
  'running',
  'retry_pending',
  'waiting',
  'succeeded',
  'failed',
  'skipped',
] as const
/** The state of a step. */
export type StepState = (typeof STEP_STATES)[number]

/**
 * The state of a step from the state of its operation. A temporary failure makes the step `retry_pending`, and its
 * dependents wait; only a dead operation fails it.
 */
export function stepStateOf(operation: Operation): StepState {
  switch (operation.state) {
    case 'scheduled':
      // Every provider that could serve it is blocked or paused.
      if (operation.heldBy !== undefined) return 'waiting'
      return operation.retries + operation.snoozes > 0 ? 'retry_pending' : 'ready'
    case 'running':
      return 'running'
    case 'parked':
      return 'waiting'
    case 'succeeded':
      return 'succeeded'
    case 'dead':
      return 'failed'
  }
}

/**
 * The state of a step from its record. Discarding or pruning its operation changes nothing: the operation is stored at
 * least until its end is recorded.
 */
export function recordedStateOf(
  state: StepRecordState | undefined,
  operation: Operation | undefined,
): StepState {
  switch (state) {
    case undefined:
      return 'pending'
    case 'open':
      return operation === undefined ? 'ready' : stepStateOf(operation)
    case 'asked':
      return 'waiting'
    default:
      return state
  }
}

/** The table of states for the documentation, one row for each state of an operation. */
export const STEP_STATE_TABLE: readonly (readonly [
  operation: string,
  step: StepState | string,
  why: string,
])[] = [
  ['none; a dependency has not ended', 'pending', 'waits for its dependencies'],
  ['none; a question to a person or an agent', 'waiting', 'until a person or an agent answers'],
  ['scheduled, not tried yet', 'ready', 'runs as soon as a runner claims it'],
  ['scheduled, held', 'waiting', 'until one of its providers is available'],
  [
    'scheduled after a failure (retry or snooze)',
    'retry_pending',
    'until it is due; the rest of the run continues',
  ],
  ['running', 'running', 'a runner is running it'],
  ['parked', 'waiting', 'for a label, a login, a payment, a runner, a secret or parameters'],
  ['succeeded', 'succeeded', 'its result is stored with the run'],
  ['dead (refused, exhausted, expired, unverifiable, cancelled or stopped)', 'failed', '`on_fail` decides'],
  ['revived', 'ready', 'reopens the step, its run, and the steps skipped because of it'],
  ['discarded or pruned', 'unchanged', 'possible only after its end is recorded with the run'],
]
