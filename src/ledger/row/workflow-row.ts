import { LedgerError } from '../error.ts'
import {
  MOST_STEPS,
  type NewWorkflowRun,
  type StepRecord,
  type StepRecordState,
  type WorkflowRun,
  type WorkflowRunState,
} from '../workflow-run.ts'
import { NumberedIds } from './numbered-id.ts'
import { toId } from './rows.ts'
import { storedJson } from './stored-json.ts'

/** Ids of workflow runs. */
export const WORKFLOW_RUN_IDS = new NumberedIds('wf')
/** Ids of plans. */
export const PLAN_IDS = new NumberedIds('plan')

/** Room for the places of steps within the number of their run. */
export const STEPS_PER_RUN = 1_024

/** A row of the table of workflow runs. */
export interface WorkflowRunRow {
  id: number
  workflow: string
  plan: number
  steps: number
  params: string
  params_hash: string | null
  key: string | null
  session: string | null
  by: string
  state: WorkflowRunState
  version: number
  created_at: number
  updated_at: number
  ended_at: number | null
  reason: string | null
  idle_told_at: number | null
}

/** A row of the table of steps, without the result itself. */
export interface StepRow {
  id: number
  state: StepRecordState
  operation: number | null
  operations: number
  started_at: number
  ended_at: number | null
  deadline: number | null
  reason: string | null
  cause: number | null
  by: string | null
  has_result: number
}

/** Columns of {@link StepRow}. */
export const STEP_COLUMNS =
  'id, state, operation, operations, started_at, ended_at, deadline, reason, cause, by, CASE WHEN result IS NULL THEN 0 ELSE 1 END AS has_result'

/** Refuses a run that could not be gone on with or found. */
export function checkWorkflowRun({ workflow, steps, key, by }: NewWorkflowRun): void {
  if (workflow === '') throw new LedgerError('invalid', 'a workflow run needs the name of its workflow')
  if (!Number.isInteger(steps) || steps < 1 || steps > MOST_STEPS)
    throw new LedgerError('invalid', `${workflow} has ${steps} steps: give from 1 to ${MOST_STEPS}`)
  if (key === '') throw new LedgerError('invalid', `the key of a run of ${workflow} is empty`)
  if (by === '') throw new LedgerError('invalid', `a run of ${workflow} needs who started it`)
}

/** The number of a step's row. Throws if there can be no such step. */
export function stepRowId(run: number, step: number): number {
  if (!Number.isInteger(step) || step < 0 || step >= MOST_STEPS)
    throw new LedgerError('invalid', `step ${step}: give its place in the plan, from 0 to ${MOST_STEPS - 1}`)
  return run * STEPS_PER_RUN + step
}

/** The numbers of the first and the last row that steps of a run can have. */
export function stepRowIds(run: number): [number, number] {
  return [run * STEPS_PER_RUN, run * STEPS_PER_RUN + MOST_STEPS - 1]
}

/** The run and the place in its plan of a row. */
export function placeOfStep(id: number): { run: string; step: number } {
  return { run: WORKFLOW_RUN_IDS.toId(Math.floor(id / STEPS_PER_RUN)), step: id % STEPS_PER_RUN }
}

/** A row as the rest of the program knows it. */
export function toStepRecord(row: StepRow): StepRecord {
  return {
    step: row.id % STEPS_PER_RUN,
    state: row.state,
    ...(row.operation === null ? {} : { operation: toId(row.operation) }),
    operations: row.operations,
    startedAt: row.started_at,
    ...(row.ended_at === null ? {} : { endedAt: row.ended_at }),
    ...(row.deadline === null ? {} : { deadline: row.deadline }),
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.cause === null ? {} : { cause: row.cause }),
    ...(row.by === null ? {} : { by: row.by }),
    hasResult: row.has_result === 1,
  }
}

/** A row with those of its steps, as the rest of the program knows it. */
export function toWorkflowRun(row: WorkflowRunRow, steps: readonly StepRow[]): WorkflowRun {
  return {
    id: WORKFLOW_RUN_IDS.toId(row.id),
    workflow: row.workflow,
    plan: PLAN_IDS.toId(row.plan),
    params: storedJson(row.params),
    state: row.state,
    version: row.version,
    ...(row.key === null ? {} : { key: row.key }),
    ...(row.session === null ? {} : { session: row.session }),
    by: row.by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...(row.ended_at === null ? {} : { endedAt: row.ended_at }),
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.idle_told_at === null ? {} : { idleToldAt: row.idle_told_at }),
    steps: steps.map(toStepRecord),
  }
}
