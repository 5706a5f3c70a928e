import { Collision } from '../collision.ts'
import type { Page, PageRequest } from '../filter.ts'
import { filled } from '../row/filled.ts'
import { numberOf, storedJson } from '../row/rows.ts'
import {
  checkWorkflowRun,
  PLAN_IDS,
  placeOfStep,
  STEPS_OF_OPERATIONS,
  STEPS_PER_RUN,
  type StepOfOperationRow,
  stepRowId,
  stepRowIds,
  toStepOfOperation,
  toWorkflowRun,
  WITH_STEPS,
  WORKFLOW_RUN_IDS,
  type WorkflowRunRow,
} from '../row/workflow-row.ts'
import {
  actionValues,
  newRunValues,
  paramsHashOf,
  planValues,
  runOfKey,
  runStateValues,
  stepValues,
} from '../row/workflow-values.ts'
import {
  MOST_STEPS,
  type NewWorkflowRun,
  type StepChange,
  type StepDeadline,
  type StepOfOperation,
  type StepResult,
  type WorkflowAction,
  type WorkflowChange,
  type WorkflowRun,
  type WorkflowRunFilter,
} from '../workflow-run.ts'
import { type Asking, row, rows, written } from './asking.ts'
import { isOneOf, pageOfRows } from './conditions.ts'

/** A plan must not be deleted while a run that uses it is being written. */
const ALONE = { alone: ':plans' } as const

/** Ended runs. A cancelled run stays until all its operations have ended, because their ends must still be recorded. */
const OLD = `SELECT id, plan FROM workflow_runs r WHERE ended_at IS NOT NULL AND ended_at < $1 AND NOT EXISTS
  (SELECT 1 FROM workflow_steps s WHERE s.id BETWEEN r.id * ${STEPS_PER_RUN} AND r.id * ${STEPS_PER_RUN} + ${MOST_STEPS}
    AND s.state = 'open') ORDER BY ended_at LIMIT $2`

/** Stores a run, or finds the one with its key. */
export function* addWorkflowRun(run: NewWorkflowRun, now: number): Asking<{ id: string; created: boolean }> {
  checkWorkflowRun(run)
  const { workflow, key } = run
  const hash = paramsHashOf(run)
  if (key !== undefined) {
    const old = yield* row<{ id: number; params_hash: string }>(
      'SELECT id, params_hash FROM workflow_runs WHERE workflow = $1 AND key = $2',
      workflow,
      key,
    )
    if (old) return runOfKey(old, run, hash)
  }
  const added = yield* row<{ id: number }>(
    `INSERT INTO workflow_runs (workflow, plan, steps, params, params_hash, key, session, by, state, version,
      created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'running', 1, $9, $9)
     ON CONFLICT (workflow, key) WHERE key IS NOT NULL DO NOTHING RETURNING id`,
    ...newRunValues(run, yield* planId(run.plan), hash),
    now,
  )
  if (!added) throw new Collision('another transaction took the key')
  return { id: WORKFLOW_RUN_IDS.toId(added.id), created: true }
}

/** Changes a run and its steps, if it still has this version. */
export function* changeWorkflowRun(
  id: string,
  version: number,
  change: WorkflowChange,
  now: number,
): Asking<boolean> {
  const { steps = [], state, action } = change
  const number = WORKFLOW_RUN_IDS.numberOf(id) ?? 0
  const update = 'UPDATE workflow_runs SET version = version + 1, updated_at = $1, idle_told_at = NULL'
  const is = 'WHERE id = $2 AND version = $3 RETURNING id'
  const moved =
    state === undefined
      ? yield* written(`${update} ${is}`, now, number, version)
      : yield* written(
          `${update}, state = $4, ended_at = $5, reason = $6 ${is}`,
          now,
          number,
          version,
          ...runStateValues(change, now),
        )
  if (moved === 0) return false
  for (const step of steps) yield* changeStep(number, step, now)
  if (action)
    yield* row(
      'INSERT INTO workflow_actions (run, at, by, action, step, note) VALUES ($1, $2, $3, $4, $5, $6)',
      ...actionValues(number, action, now),
    )
  return true
}

/** Notes that people were told that a run stands still. False if they were, or if it has moved. */
export function* markIdleTold(id: string, version: number, now: number): Asking<boolean> {
  const marked = yield* written(
    `UPDATE workflow_runs SET idle_told_at = $1 WHERE id = $2 AND version = $3 AND state = 'running'
      AND idle_told_at IS NULL RETURNING id`,
    now,
    WORKFLOW_RUN_IDS.numberOf(id) ?? 0,
    version,
  )
  return marked > 0
}

/** Called for each end of a step, so it must be cheap: one statement, which sees one state, and one row. */
export function* workflowRun(id: string): Asking<WorkflowRun | undefined> {
  const found = yield* row<WorkflowRunRow>(
    `SELECT ${WITH_STEPS} FROM workflow_runs WHERE id = $1`,
    WORKFLOW_RUN_IDS.numberOf(id) ?? 0,
  )
  return found && toWorkflowRun(found)
}

export function workflowRunsPage(filter: WorkflowRunFilter, page: PageRequest): Asking<Page<WorkflowRun>> {
  const { ids, state, workflow, key, idleBefore } = filter
  const conditions = [
    ...isOneOf(
      'id',
      ids?.map(id => WORKFLOW_RUN_IDS.numberOf(id) ?? 0),
      'bigint',
    ),
    ...isOneOf('state', state),
    ...isOneOf('workflow', workflow),
    ...isOneOf('key', key),
    ...(idleBefore === undefined
      ? []
      : [{ sql: "state = 'running' AND updated_at < ? AND idle_told_at IS NULL", value: idleBefore }]),
  ]
  const table = { table: 'workflow_runs', columns: WITH_STEPS, ids: WORKFLOW_RUN_IDS, read: toWorkflowRun }
  return pageOfRows(table, conditions, page)
}

export function* workflowPlan(id: string): Asking<unknown> {
  const found = yield* row<{ plan: string }>(
    'SELECT plan FROM workflow_plans WHERE id = $1',
    PLAN_IDS.numberOf(id) ?? 0,
  )
  return found && storedJson(found.plan)
}

export function* stepResult(run: string, step: number): Asking<StepResult | undefined> {
  const found = yield* row<{ result: string | null; result_cut: number }>(
    'SELECT result, result_cut FROM workflow_steps WHERE id = $1',
    stepRowId(WORKFLOW_RUN_IDS.numberOf(run) ?? 0, step),
  )
  if (!found || found.result === null) return undefined
  return { result: storedJson(found.result), ...(found.result_cut === 1 ? { resultCut: true } : {}) }
}

interface ActionRow {
  at: number
  by: string
  action: string
  step: number | null
  note: string | null
}

export function* workflowActions(run: string): Asking<WorkflowAction[]> {
  const found = yield* rows<ActionRow>(
    'SELECT at, by, action, step, note FROM workflow_actions WHERE run = $1 ORDER BY id',
    WORKFLOW_RUN_IDS.numberOf(run) ?? 0,
  )
  return found.map(filled)
}

export function* stepsOfOperations(operations: readonly string[]): Asking<StepOfOperation[]> {
  const found = yield* rows<StepOfOperationRow>(
    `WITH given(operation) AS (SELECT unnest($1::bigint[])) ${STEPS_OF_OPERATIONS}`,
    operations.map(id => numberOf(id) ?? 0),
  )
  return found.map(toStepOfOperation)
}

export function* stepDeadlines(most: number): Asking<StepDeadline[]> {
  const found = yield* rows<{ id: number; deadline: number }>(
    'SELECT id, deadline FROM workflow_steps WHERE deadline IS NOT NULL ORDER BY deadline LIMIT $1',
    most,
  )
  return found.map(({ id, deadline }) => ({ ...placeOfStep(id), deadline }))
}

/** Whether a run ended before this time and may be deleted. Takes no lock. */
export function* hasOldWorkflows(before: number): Asking<boolean> {
  return (yield* rows(OLD, before, 1)).length > 0
}

/** Deletes at most `most` runs that ended before this time, with their steps. Returns how many. */
export function* forgetOldWorkflows(before: number, most: number): Asking<number> {
  const old = yield* rows<{ id: number; plan: number }>(`${OLD} FOR UPDATE SKIP LOCKED`, before, most)
  for (const { id, plan } of old) {
    yield* row('DELETE FROM workflow_steps WHERE id BETWEEN $1 AND $2', ...stepRowIds(id))
    yield* row('DELETE FROM workflow_actions WHERE run = $1', id)
    yield* row('DELETE FROM workflow_runs WHERE id = $1', id)
    yield ALONE
    yield* row(
      'DELETE FROM workflow_plans WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM workflow_runs WHERE plan = $1)',
      plan,
    )
  }
  return old.length
}

function* planId(plan: unknown): Asking<number> {
  const { hash, text } = planValues(plan)
  yield ALONE
  const known =
    (yield* row<{ id: number }>('SELECT id FROM workflow_plans WHERE hash = $1', hash)) ??
    (yield* row<{ id: number }>(
      'INSERT INTO workflow_plans (hash, plan) VALUES ($1, $2) RETURNING id',
      hash,
      text,
    ))
  return (known as { id: number }).id
}

function* changeStep(run: number, change: StepChange, now: number): Asking<void> {
  if (change.state === 'none') {
    yield* row('DELETE FROM workflow_steps WHERE id = $1', stepRowId(run, change.step))
    return
  }
  const values = stepValues(run, change, now)
  const [id, state, , , , endedAt, , ...outcome] = values
  // What ends keeps its operation and when it began. Most do, and this leaves the index by operation alone.
  if (endedAt !== null) {
    const text = `UPDATE workflow_steps SET state = $2, ended_at = $3, deadline = NULL, reason = $4, cause = $5, by = $6,
      result_cut = $7, result = $8 WHERE id = $1 RETURNING id`
    if ((yield* written(text, id, state, endedAt, ...outcome)) > 0) return
  }
  // A step that starts over gets a new start time.
  yield* row(
    `INSERT INTO workflow_steps AS s (id, state, operation, operations, started_at, ended_at, deadline, reason, cause,
      by, result_cut, result) VALUES ($1, $2, $3, coalesce($4::int, 0), $5, $6, $7, $8, $9, $10, $11, $12)
     ON CONFLICT (id) DO UPDATE SET state = $2, operation = coalesce($3, s.operation),
      operations = coalesce($4::int, s.operations),
      started_at = CASE WHEN s.operations IS DISTINCT FROM $4::int THEN $5 ELSE s.started_at END,
      ended_at = $6, deadline = $7, reason = $8, cause = $9, by = $10, result_cut = $11, result = $12`,
    ...values,
  )
}
