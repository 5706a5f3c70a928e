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
/** How a step stands. */
export type StepState = (typeof STEP_STATES)[number]

/**
 * The state of a step by that of its operation. A failure that may pass leaves the step `retry_pending`, and all who
 * depend on it wait; only an operation that is dead fails it.
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
 * The state of a step by what is recorded of it. An operation that is gone, discarded or pruned, changes nothing: it is
 * kept until its end is recorded.
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

/** What the table says, one line for each state of an operation, for the documentation. */
export const STEP_STATE_TABLE: readonly (readonly [
  operation: string,
  step: StepState | string,
  why: string,
])[] = [
  ['none: it depends on steps that have not ended', 'pending', 'waits for its dependencies'],
  ['none: a question to a person or an agent', 'waiting', 'until somebody answers'],
  ['scheduled, not tried yet', 'ready', 'runs as soon as a runner takes it'],
  ['scheduled, held', 'waiting', 'until one of its providers can be used'],
  [
    'scheduled after a failure: retry or snooze',
    'retry_pending',
    'until its time; the rest of the run goes on',
  ],
  ['running', 'running', 'a runner has it'],
  ['parked', 'waiting', 'for a label, a login, a payment, a runner, a secret or parameters'],
  ['succeeded', 'succeeded', 'its result is kept with the run'],
  ['dead: refused, exhausted, expired, unverifiable, cancelled or stopped', 'failed', '`on_fail` decides'],
  ['revived', 'ready', 'step and run are open again, and what was skipped because of it'],
  ['discarded or pruned', 'as it was', 'only after its end was recorded with the run'],
]
