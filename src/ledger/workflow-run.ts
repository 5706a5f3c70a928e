import type { Page, PageRequest } from './filter.ts'
import type {
  DeadOperation,
  ParkedOperation,
  RunningOperation,
  ScheduledOperation,
  SucceededOperation,
} from './operation.ts'
import type { MaybePromise } from './writing.ts'

/** The states of a workflow run. All but the first end it. */
export const WORKFLOW_RUN_STATES = ['running', 'succeeded', 'failed', 'cancelled'] as const
/** The state of a workflow run. */
export type WorkflowRunState = (typeof WORKFLOW_RUN_STATES)[number]

/**
 * The recorded states of a step: `open` until its operation ends, `asked` until a person or an agent answers, then how
 * it ended. A step to which nothing has happened has no record.
 */
export const STEP_RECORD_STATES = ['open', 'asked', 'succeeded', 'failed', 'skipped'] as const
/** The recorded state of a step. */
export type StepRecordState = (typeof STEP_RECORD_STATES)[number]

/** Maximum number of steps of a workflow. */
export const MOST_STEPS = 1_000

/** A workflow run to store. */
export interface NewWorkflowRun {
  /** Name of the workflow. */
  workflow: string
  /** Everything needed to continue it, as JSON: stored with the run, so that a changed workflow changes no existing run. */
  plan: unknown
  /** Number of steps of the plan; at most {@link MOST_STEPS}. */
  steps: number
  /** Its parameters: JSON, stored as given. */
  params: unknown
  /** Within the workflow: the same key with the same parameters is the same run. Default none. */
  key?: string
  /** The session that started it and gets a notice when it ends. Default none. */
  session?: string
  /** Who started it: a person, a session, a schedule. */
  by: string
}

/** The record of one step of a run. */
export interface StepRecord {
  /** Position of the step in the plan, from 0. */
  step: number
  state: StepRecordState
  /** The operation that runs it, or ran it last. */
  operation?: string
  /** Operations this step has had: 1 unless it was run again from the beginning. */
  operations: number
  /** When it was started or asked, epoch milliseconds; when it was skipped, if it never started. */
  startedAt: number
  /** When it ended, epoch milliseconds. */
  endedAt?: number
  /** When its time runs out, epoch milliseconds; absent if it has no limit or has ended. */
  deadline?: number
  /** Why it failed or was skipped; redacted. */
  reason?: string
  /**
   * Position of the step whose failure caused this one to be skipped. Its own position if only the end of the run cancelled
   * its operation: then it is `open` until that has ended, and `failed` afterwards.
   */
  cause?: number
  /** Who ended it, if not its operation. */
  by?: string
  /** Whether a result is stored. */
  hasResult: boolean
}

/** One run of a workflow, with the records of its steps. */
export interface WorkflowRun {
  /** `wf_` and a number. */
  id: string
  /** Name of the workflow. */
  workflow: string
  /** Id of its plan; equal plans have the same id. */
  plan: string
  /** Its parameters. */
  params: unknown
  state: WorkflowRunState
  /** Increases by 1 with every change; a change must name the version it is based on. */
  version: number
  /** Its key, unique within its workflow. */
  key?: string
  /** The session that started it. */
  session?: string
  /** Who started it. */
  by: string
  /** Epoch milliseconds. */
  createdAt: number
  /** When a step last began or ended, or a person or program last acted on it; epoch milliseconds. */
  updatedAt: number
  /** Epoch milliseconds. */
  endedAt?: number
  /** Why it ended, for people. */
  reason?: string
  /** When it was reported as idle, epoch milliseconds. Cleared when something happens. */
  idleToldAt?: number
  /** In the order of the plan, without those to which nothing has happened. */
  steps: readonly StepRecord[]
}

/** The result of a step, as stored with the run. */
export interface StepResult {
  /** JSON. */
  result: unknown
  /** Present if `result` is a placeholder for one that is too large to store. */
  resultCut?: true
}

/** The new record of a step; replaces the old one completely. */
export type StepChange =
  /** Removes the record: nothing has happened to the step. */
  | { step: number; state: 'none' }
  | { step: number; state: 'open'; operation: string; operations: number; deadline?: number; cause?: number }
  | { step: number; state: 'asked'; deadline?: number }
  | ({ step: number; state: 'succeeded'; by?: string } & Partial<StepResult>)
  | { step: number; state: 'failed'; reason: string; cause?: number }
  | { step: number; state: 'skipped'; reason: string; cause?: number; by?: string }

/** An action on a run. */
export interface NewWorkflowAction {
  /** Who acts: a person, a session, a program. */
  by: string
  /** Name of the action. */
  action: string
  /** Position of the step it applies to. Default: the whole run. */
  step?: number
  /** Why, or with what values; redacted. */
  note?: string
}

/** A stored action on a run, with its time. */
export interface WorkflowAction extends NewWorkflowAction {
  /** Epoch milliseconds. */
  at: number
}

/** A change to a run. */
export interface WorkflowChange {
  steps?: readonly StepChange[]
  /** Default unchanged. `running` reopens an ended run. */
  state?: WorkflowRunState
  /** Why it ended; redacted. Only with a `state`. */
  reason?: string
  /** The action that caused the change, if one did. */
  action?: NewWorkflowAction
}

/** Selects runs. All conditions must match; a list matches any of its items. */
export interface WorkflowRunFilter {
  /** Any of these. Default all. */
  ids?: readonly string[]
  /** In this state, or in any of these. Default all. */
  state?: WorkflowRunState | readonly WorkflowRunState[]
  /** Of this workflow, or of any of these. Default all. */
  workflow?: string | readonly string[]
  /** With this key. */
  key?: string
  /**
   * Running ones to which nothing has happened since this time, epoch milliseconds, and that were not reported as idle
   * yet.
   */
  idleBefore?: number
}

/** The step that an operation belongs to, with the state of the operation: all that the run needs to continue. */
export interface StepOfOperation {
  operation: string
  /** Id of the workflow run. */
  run: string
  /** Version of the run. A reader that has this version need not read the run again. */
  version: number
  /** Position of the step in its plan. */
  step: number
  standing: OperationStanding
}

/** The state of an operation, as far as its step depends on it. */
export type OperationStanding =
  | Pick<ScheduledOperation, 'state'>
  | Pick<RunningOperation, 'state'>
  | Pick<ParkedOperation, 'state' | 'parkedFor' | 'reason'>
  | Pick<SucceededOperation, 'state' | 'result' | 'resultCut'>
  /** With the message of its last failure, if a try failed. */
  | (Pick<DeadOperation, 'state' | 'deadAs' | 'reason'> & { message?: string })

/** A step with a time limit. */
export interface StepDeadline {
  /** Id of the workflow run. */
  run: string
  /** Position of the step in its plan. */
  step: number
  /** Epoch milliseconds. */
  deadline: number
}

/** Writes about workflow runs, as part of a transaction. */
export interface WorkflowWrites {
  /** Stores a run, or finds the existing one with the same key. */
  addWorkflowRun(run: NewWorkflowRun): MaybePromise<{ id: string; created: boolean }>
  /**
   * Writes a change to a run if it still has this version. False if something else changed it first; then nothing is
   * written.
   */
  changeWorkflowRun(id: string, version: number, change: WorkflowChange): MaybePromise<boolean>
  /** Marks a run as reported idle. False if that was already done, or if something has happened since this version. */
  markIdleTold(id: string, version: number): MaybePromise<boolean>
}

/** Reads of workflow runs. */
export interface WorkflowReads {
  /** One run with its steps; undefined if none has this id. */
  workflowRun(id: string): Promise<WorkflowRun | undefined>
  /** Runs with their steps, newest first, one page at a time. */
  workflowRuns(filter?: WorkflowRunFilter, page?: PageRequest): Promise<Page<WorkflowRun>>
  /** The plan with this id, as given; undefined if no run has it. */
  workflowPlan(id: string): Promise<unknown>
  /** The result of a step; undefined if none is stored. */
  stepResult(run: string, step: number): Promise<StepResult | undefined>
  /** Actions on a run, oldest first. */
  workflowActions(run: string): Promise<readonly WorkflowAction[]>
  /** Which of these operations are the current operation of a workflow step, with their states; each once. */
  stepsOfOperations(operations: readonly string[]): Promise<readonly StepOfOperation[]>
  /** Steps with a time limit, the earliest deadline first; at most `most`. */
  stepDeadlines(most: number): Promise<readonly StepDeadline[]>
}
