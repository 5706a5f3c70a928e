import type { Page, PageRequest } from './filter.ts'
import type { MaybePromise } from './ledger.ts'

/** The states of a workflow run. All but the first end it. */
export const WORKFLOW_RUN_STATES = ['running', 'succeeded', 'failed', 'cancelled'] as const
/** How a workflow run stands. */
export type WorkflowRunState = (typeof WORKFLOW_RUN_STATES)[number]

/**
 * What is recorded of a step: `open` while its operation has not ended, `asked` while a person or an agent has not
 * answered, and how it ended. A step that nothing happened to has no record.
 */
export const STEP_RECORD_STATES = ['open', 'asked', 'succeeded', 'failed', 'skipped'] as const
/** What is recorded of a step. */
export type StepRecordState = (typeof STEP_RECORD_STATES)[number]

/** Steps of a workflow, at most. */
export const MOST_STEPS = 1_000

/** A workflow run to be written down. */
export interface NewWorkflowRun {
  /** Name of the workflow. */
  workflow: string
  /** All that is needed to go on with it, as JSON: kept with the run, so that a changed workflow changes no run. */
  plan: unknown
  /** How many steps the plan has; at most {@link MOST_STEPS}. */
  steps: number
  /** What it was started with: JSON, stored as given. */
  params: unknown
  /** Within the workflow: the same key with the same parameters is the same run. Default none. */
  key?: string
  /** The session that started it and wants to hear how it ended. Default none. */
  session?: string
  /** Who started it: a person, a session, a schedule. */
  by: string
}

/** What is recorded of one step of a run. */
export interface StepRecord {
  /** Place of the step in the plan, from 0. */
  step: number
  state: StepRecordState
  /** The operation that runs it, or ran it last. */
  operation?: string
  /** Operations that this step has had: 1 unless it was run again from the beginning. */
  operations: number
  /** When it was started or asked, epoch milliseconds; when it was skipped, if it never was. */
  startedAt: number
  /** When it ended, epoch milliseconds. */
  endedAt?: number
  /** When its time is over, epoch milliseconds; absent for one that has no limit, or has ended. */
  deadline?: number
  /** Why it failed or was skipped; redacted. */
  reason?: string
  /** Place of the step whose failure is the reason that this one was skipped. */
  cause?: number
  /** Who ended it, if that was not its operation. */
  by?: string
  /** Whether a result is kept. */
  hasResult: boolean
}

/** One run of a workflow, with what is recorded of its steps. */
export interface WorkflowRun {
  /** `wf_` and a number. */
  id: string
  /** Name of the workflow. */
  workflow: string
  /** Id of its plan: equal plans have the same. */
  plan: string
  /** What it was started with. */
  params: unknown
  state: WorkflowRunState
  /** Goes up by 1 with every change: whoever changes it says which one was read. */
  version: number
  /** What it is known by within its workflow. */
  key?: string
  /** The session that started it. */
  session?: string
  /** Who started it. */
  by: string
  /** Epoch milliseconds. */
  createdAt: number
  /** When one of its steps last began or ended, or somebody acted on it; epoch milliseconds. */
  updatedAt: number
  /** Epoch milliseconds. */
  endedAt?: number
  /** Why it ended as it did, for people. */
  reason?: string
  /** When somebody was told that nothing happens to it, epoch milliseconds. Cleared when something does. */
  idleToldAt?: number
  /** In the order of the plan; those that nothing happened to are not among them. */
  steps: readonly StepRecord[]
}

/** What a step returned, as it is kept with the run. */
export interface StepResult {
  /** JSON. */
  result: unknown
  /** There where `result` stands for one that is too large to be kept. */
  resultCut?: true
}

/** What is to be recorded of a step from now on; all of it, in place of what was. */
export type StepChange =
  /** Nothing has happened to it, and what was recorded is forgotten. */
  | { step: number; state: 'none' }
  | { step: number; state: 'open'; operation: string; operations: number; deadline?: number }
  | { step: number; state: 'asked'; deadline?: number }
  | ({ step: number; state: 'succeeded'; by?: string } & Partial<StepResult>)
  | { step: number; state: 'failed'; reason: string; by?: string }
  | { step: number; state: 'skipped'; reason: string; cause?: number; by?: string }

/** Something that somebody did to a run. */
export interface NewWorkflowAction {
  /** Who: a person, a session, a program. */
  by: string
  /** What, by name. */
  action: string
  /** Place of the step that it was done to. Default the whole run. */
  step?: number
  /** Why, or with what; redacted. */
  note?: string
}

/** Something that somebody did to a run, and when. */
export interface WorkflowAction extends NewWorkflowAction {
  /** Epoch milliseconds. */
  at: number
}

/** What happened to a run. */
export interface WorkflowChange {
  steps?: readonly StepChange[]
  /** Default as it is. `running` opens one that had ended. */
  state?: WorkflowRunState
  /** Why it ended as it did; redacted. Only with a `state`. */
  reason?: string
  /** Who did it, where somebody did. */
  action?: NewWorkflowAction
}

/** Which runs. All conditions have to hold; lists mean any of them. */
export interface WorkflowRunFilter {
  /** Any of these. Default all. */
  ids?: readonly string[]
  /** In this state, or in any of these. Default all. */
  state?: WorkflowRunState | readonly WorkflowRunState[]
  /** Of this workflow, or of any of these. Default all. */
  workflow?: string | readonly string[]
  /** Known by this key. */
  key?: string
  /** Running ones that nothing has happened to since before this time, epoch milliseconds, and nobody was told of. */
  idleBefore?: number
}

/** A step whose operation this is. */
export interface StepOfOperation {
  operation: string
  /** Id of the workflow run. */
  run: string
  /** Place of the step in its plan. */
  step: number
}

/** A step whose time is limited. */
export interface StepDeadline {
  /** Id of the workflow run. */
  run: string
  /** Place of the step in its plan. */
  step: number
  /** Epoch milliseconds. */
  deadline: number
}

/** Writes about workflow runs, as part of a transaction. */
export interface WorkflowWrites {
  /** Writes a run down, or finds the one that its key stands for. */
  addWorkflowRun(run: NewWorkflowRun): MaybePromise<{ id: string; created: boolean }>
  /** Writes what happened to a run, if it still has this version: false changed nothing, because somebody else did. */
  changeWorkflowRun(id: string, version: number, change: WorkflowChange): MaybePromise<boolean>
  /** Somebody is told that nothing happens to a run. False if that was said, or something did happen since this version. */
  markIdleTold(id: string, version: number): MaybePromise<boolean>
}

/** Reads of workflow runs. */
export interface WorkflowReads {
  /** One run with its steps; undefined if there is none of this id. */
  workflowRun(id: string): Promise<WorkflowRun | undefined>
  /** Runs with their steps, newest first, a page at a time. */
  workflowRuns(filter?: WorkflowRunFilter, page?: PageRequest): Promise<Page<WorkflowRun>>
  /** The plan of this id, as it was given; undefined if no run has it. */
  workflowPlan(id: string): Promise<unknown>
  /** What a step returned; undefined if nothing is kept. */
  stepResult(run: string, step: number): Promise<StepResult | undefined>
  /** What people and programs did to a run, oldest first. */
  workflowActions(run: string): Promise<readonly WorkflowAction[]>
  /** Which of these operations are what a step of a workflow has now. */
  stepsOfOperations(operations: readonly string[]): Promise<readonly StepOfOperation[]>
  /** Steps whose time is limited, the first one first; at most so many. */
  stepDeadlines(most: number): Promise<readonly StepDeadline[]>
}
