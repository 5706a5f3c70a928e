import type { CancelReason, ParkReason } from '../../verdict/verdict.ts'
import { LedgerError } from '../error.ts'
import {
  MOST_STEPS,
  type NewWorkflowRun,
  type OperationStanding,
  type StepOfOperation,
  type StepRecord,
  type StepRecordState,
  type WorkflowRun,
  type WorkflowRunState,
} from '../workflow-run.ts'
import { filled } from './filled.ts'
import { NumberedIds } from './numbered-id.ts'
import type { OperationRow } from './operation-row.ts'
import { storedJson, toId } from './rows.ts'

/** Ids of workflow runs. */
export const WORKFLOW_RUN_IDS = new NumberedIds('wf')
/** Ids of plans. */
export const PLAN_IDS = new NumberedIds('plan')

/** Row ids reserved for the steps of one run. */
export const STEPS_PER_RUN = 1_024

/** A row of the workflow runs table. */
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
  /** As {@link WITH_STEPS} reads them. */
  step_rows: string | null
}

/** A row of the steps table, without the result itself. */
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

/** All columns of a run, and its steps as a list of lists, so that one statement reads both; see {@link stepRowOf}. */
export const WITH_STEPS = `workflow_runs.*, (SELECT json_agg(json_build_array(id, state, operation, operations, started_at, ended_at,
  deadline, reason, cause, by, has_result))::text FROM (SELECT id, state, operation, operations, started_at, ended_at, deadline,
  reason, cause, by, CASE WHEN result IS NULL THEN 0 ELSE 1 END AS has_result FROM workflow_steps s WHERE s.id BETWEEN workflow_runs.id * ${STEPS_PER_RUN} AND workflow_runs.id * ${STEPS_PER_RUN} + ${MOST_STEPS}
  ORDER BY s.id) AS steps) AS step_rows`

function stepRowOf(values: readonly unknown[]): StepRow {
  const [id, state, operation, operations, started_at, ended_at, deadline, reason, cause, by, has_result] =
    values
  return {
    id,
    state,
    operation,
    operations,
    started_at,
    ended_at,
    deadline,
    reason,
    cause,
    by,
    has_result,
  } as StepRow
}

/** A row of a step's operation with the version of its run, as {@link STEPS_OF_OPERATIONS} reads it. */
export interface StepOfOperationRow
  extends Pick<
    OperationRow,
    'state' | 'parked_for' | 'dead_as' | 'reason' | 'message' | 'result' | 'result_cut'
  > {
  id: number
  operation: number
  version: number
}

/** Steps with their runs and operations, joined to `given(operation)`; the same on both databases. */
export const STEPS_OF_OPERATIONS = `SELECT s.id, s.operation, r.version, o.state, o.parked_for, o.dead_as, o.reason, o.message,
  o.result, o.result_cut FROM given CROSS JOIN workflow_steps s JOIN workflow_runs r ON r.id = s.id / ${STEPS_PER_RUN}
  JOIN operations o ON o.id = s.operation WHERE s.operation = given.operation`

/** Refuses a run that could not be continued or found. */
export function checkWorkflowRun({ workflow, steps, key, by }: NewWorkflowRun): void {
  if (workflow === '') throw new LedgerError('invalid', 'a workflow run needs the name of its workflow')
  if (!Number.isInteger(steps) || steps < 1 || steps > MOST_STEPS)
    throw new LedgerError('invalid', `${workflow} must have from 1 to ${MOST_STEPS} steps, not ${steps}`)
  if (key === '') throw new LedgerError('invalid', `${workflow}: the key of a run must not be empty`)
  if (by === '')
    throw new LedgerError('invalid', `${workflow}: a run needs the name of who started it in \`by\``)
}

/** The row id of a step. Throws if no such step can exist. */
export function stepRowId(run: number, step: number): number {
  if (!Number.isInteger(step) || step < 0 || step >= MOST_STEPS)
    throw new LedgerError(
      'invalid',
      `step must be its position in the plan, from 0 to ${MOST_STEPS - 1}, not ${step}`,
    )
  return run * STEPS_PER_RUN + step
}

/** The first and the last row id that the steps of a run can have. */
export function stepRowIds(run: number): [number, number] {
  return [run * STEPS_PER_RUN, run * STEPS_PER_RUN + MOST_STEPS - 1]
}

/** The run of a step row, and the step's position in the plan. */
export function placeOfStep(id: number): { run: string; step: number } {
  return { run: WORKFLOW_RUN_IDS.toId(Math.floor(id / STEPS_PER_RUN)), step: id % STEPS_PER_RUN }
}

/** Converts a row to a step record. */
export function toStepRecord(row: StepRow): StepRecord {
  return filled({
    step: row.id % STEPS_PER_RUN,
    state: row.state,
    operation: row.operation === null ? null : toId(row.operation),
    operations: row.operations,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    deadline: row.deadline,
    reason: row.reason,
    cause: row.cause,
    by: row.by,
    hasResult: row.has_result === 1,
  })
}

/** Converts a row of {@link STEPS_OF_OPERATIONS}. */
export function toStepOfOperation(row: StepOfOperationRow): StepOfOperation {
  return {
    operation: toId(row.operation),
    run: WORKFLOW_RUN_IDS.toId(Math.floor(row.id / STEPS_PER_RUN)),
    version: row.version,
    step: row.id % STEPS_PER_RUN,
    standing: toStanding(row),
  }
}

function toStanding(row: StepOfOperationRow): OperationStanding {
  const { state } = row
  const reason = row.reason === null ? {} : { reason: row.reason }
  switch (state) {
    case 'scheduled':
    case 'running':
      return { state }
    case 'parked':
      return { state, parkedFor: row.parked_for as ParkReason, ...reason }
    case 'succeeded':
      return {
        state,
        ...(row.result === null ? {} : { result: storedJson(row.result) }),
        ...(row.result_cut === 1 ? { resultCut: true } : {}),
      }
    case 'dead':
      return {
        state,
        deadAs: row.dead_as as CancelReason,
        ...reason,
        ...(row.message === null ? {} : { message: row.message }),
      }
  }
}

/** Converts a row, with the rows of its steps, to a workflow run. */
export function toWorkflowRun(row: WorkflowRunRow): WorkflowRun {
  const steps = JSON.parse(row.step_rows ?? '[]') as (readonly unknown[])[]
  const columns = filled({
    id: WORKFLOW_RUN_IDS.toId(row.id),
    workflow: row.workflow,
    plan: PLAN_IDS.toId(row.plan),
    state: row.state,
    version: row.version,
    key: row.key,
    session: row.session,
    by: row.by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    endedAt: row.ended_at,
    reason: row.reason,
    idleToldAt: row.idle_told_at,
  })
  const params = storedJson(row.params)
  return { ...columns, params, steps: steps.map(step => toStepRecord(stepRowOf(step))) }
}
