import type { Time } from '../../time/time.ts'
import type { Page, PageRequest } from '../filter.ts'
import { numberOf, storedJson } from '../row/rows.ts'
import {
  checkWorkflowRun,
  PLAN_IDS,
  placeOfStep,
  STEP_COLUMNS,
  STEPS_OF_OPERATIONS,
  STEPS_PER_RUN,
  type StepOfOperationRow,
  type StepRow,
  stepRowId,
  stepRowIds,
  toStepOfOperation,
  toWorkflowRun,
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
  type NewWorkflowAction,
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
import { Collision } from './collision.ts'
import { Conditions, pageOfRows } from './row-page.ts'
import type { Sql } from './sql.ts'

/** Ended runs. A cancelled run stays until all its operations have ended, because their ends must still be recorded. */
const OLD = `SELECT id, plan FROM workflow_runs r WHERE ended_at IS NOT NULL AND ended_at < $1 AND NOT EXISTS
  (SELECT 1 FROM workflow_steps s WHERE s.id BETWEEN r.id * ${STEPS_PER_RUN} AND r.id * ${STEPS_PER_RUN} + ${MOST_STEPS}
    AND s.state = 'open') ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED`

/** Stores workflow runs, the records of their steps, and the actions of people. */
export class WorkflowRecords {
  readonly #sql: Sql
  readonly #time: Time

  constructor(sql: Sql, time: Time) {
    this.#sql = sql
    this.#time = time
  }

  async add(run: NewWorkflowRun): Promise<{ id: string; created: boolean }> {
    checkWorkflowRun(run)
    const { workflow, key } = run
    const hash = paramsHashOf(run)
    if (key !== undefined) {
      const old = await this.#sql.row<{ id: number; params_hash: string }>(
        'SELECT id, params_hash FROM workflow_runs WHERE workflow = $1 AND key = $2',
        [workflow, key],
      )
      if (old) return runOfKey(old, run, hash)
    }
    const row = await this.#sql.row<{ id: number }>(
      `INSERT INTO workflow_runs (workflow, plan, steps, params, params_hash, key, session, by, state, version,
        created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'running', 1, $9, $9)
       ON CONFLICT (workflow, key) WHERE key IS NOT NULL DO NOTHING RETURNING id`,
      [...newRunValues(run, await this.#planId(run.plan), hash), this.#time.now()],
    )
    if (!row) throw new Collision('another transaction took the key')
    return { id: WORKFLOW_RUN_IDS.toId(row.id), created: true }
  }

  async change(id: string, version: number, change: WorkflowChange): Promise<boolean> {
    const { steps = [], state, action } = change
    const number = WORKFLOW_RUN_IDS.numberOf(id) ?? 0
    const now = this.#time.now()
    const moved =
      state === undefined
        ? await this.#sql.run(
            `UPDATE workflow_runs SET version = version + 1, updated_at = $1, idle_told_at = NULL
             WHERE id = $2 AND version = $3`,
            [now, number, version],
          )
        : await this.#sql.run(
            `UPDATE workflow_runs SET version = version + 1, updated_at = $1, idle_told_at = NULL, state = $2,
              ended_at = $3, reason = $4 WHERE id = $5 AND version = $6`,
            [now, ...runStateValues(change, now), number, version],
          )
    if (moved === 0) return false
    for (const step of steps) await this.#step(number, step, now)
    if (action) await this.#act(number, action, now)
    return true
  }

  async markIdleTold(id: string, version: number): Promise<boolean> {
    const changed = await this.#sql.run(
      `UPDATE workflow_runs SET idle_told_at = $1 WHERE id = $2 AND version = $3 AND state = 'running'
        AND idle_told_at IS NULL`,
      [this.#time.now(), WORKFLOW_RUN_IDS.numberOf(id) ?? 0, version],
    )
    return changed > 0
  }

  /** Call it in a snapshot: version and steps must match. */
  async get(id: string): Promise<WorkflowRun | undefined> {
    const number = WORKFLOW_RUN_IDS.numberOf(id) ?? 0
    const row = await this.#sql.row<WorkflowRunRow>('SELECT * FROM workflow_runs WHERE id = $1', [number])
    return row && toWorkflowRun(row, await this.#steps([number]))
  }

  /** Call it in a snapshot. */
  async page(filter: WorkflowRunFilter, page: PageRequest): Promise<Page<WorkflowRun>> {
    const { ids, state, workflow, key, idleBefore } = filter
    const conditions = new Conditions()
      .isOneOf(
        'id',
        ids?.map(id => WORKFLOW_RUN_IDS.numberOf(id) ?? 0),
        'bigint',
      )
      .isOneOf('state', state)
      .isOneOf('workflow', workflow)
      .isOneOf('key', key)
    if (idleBefore !== undefined)
      conditions.add("state = 'running' AND updated_at < ? AND idle_told_at IS NULL", idleBefore)
    const table = { table: 'workflow_runs', ids: WORKFLOW_RUN_IDS, read: (row: WorkflowRunRow) => row }
    const found = await pageOfRows(this.#sql, table, conditions, page)
    const steps = await this.#steps(found.items.map(row => row.id))
    const ofRun = Map.groupBy(steps, row => Math.floor(row.id / STEPS_PER_RUN))
    return { ...found, items: found.items.map(row => toWorkflowRun(row, ofRun.get(row.id) ?? [])) }
  }

  async plan(id: string): Promise<unknown> {
    const row = await this.#sql.row<{ plan: string }>('SELECT plan FROM workflow_plans WHERE id = $1', [
      PLAN_IDS.numberOf(id) ?? 0,
    ])
    return row && storedJson(row.plan)
  }

  async result(run: string, step: number): Promise<StepResult | undefined> {
    const row = await this.#sql.row<{ result: string | null; result_cut: number }>(
      'SELECT result, result_cut FROM workflow_steps WHERE id = $1',
      [stepRowId(WORKFLOW_RUN_IDS.numberOf(run) ?? 0, step)],
    )
    if (!row || row.result === null) return undefined
    return { result: storedJson(row.result), ...(row.result_cut === 1 ? { resultCut: true } : {}) }
  }

  async actions(run: string): Promise<WorkflowAction[]> {
    const rows = await this.#sql.rows<ActionRow>(
      'SELECT at, by, action, step, note FROM workflow_actions WHERE run = $1 ORDER BY id',
      [WORKFLOW_RUN_IDS.numberOf(run) ?? 0],
    )
    return rows.map(({ at, by, action, step, note }) => ({
      at,
      by,
      action,
      ...(step === null ? {} : { step }),
      ...(note === null ? {} : { note }),
    }))
  }

  async ofOperations(operations: readonly string[]): Promise<StepOfOperation[]> {
    const rows = await this.#sql.rows<StepOfOperationRow>(
      `WITH given(operation) AS (SELECT unnest($1::bigint[])) ${STEPS_OF_OPERATIONS}`,
      [operations.map(id => numberOf(id) ?? 0)],
    )
    return rows.map(toStepOfOperation)
  }

  async deadlines(most: number): Promise<StepDeadline[]> {
    const rows = await this.#sql.rows<{ id: number; deadline: number }>(
      'SELECT id, deadline FROM workflow_steps WHERE deadline IS NOT NULL ORDER BY deadline LIMIT $1',
      [most],
    )
    return rows.map(({ id, deadline }) => ({ ...placeOfStep(id), deadline }))
  }

  /** Deletes at most `most` runs that ended before this time, with their steps. Call it in a transaction. */
  async forgetOld(before: number, most: number): Promise<number> {
    const old = await this.#sql.rows<{ id: number; plan: number }>(OLD, [before, most])
    for (const { id, plan } of old) {
      await this.#sql.run('DELETE FROM workflow_steps WHERE id BETWEEN $1 AND $2', stepRowIds(id))
      await this.#sql.run('DELETE FROM workflow_actions WHERE run = $1', [id])
      await this.#sql.run('DELETE FROM workflow_runs WHERE id = $1', [id])
      await this.#lockPlans()
      await this.#sql.run(
        'DELETE FROM workflow_plans WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM workflow_runs WHERE plan = $1)',
        [plan],
      )
    }
    return old.length
  }

  #steps(runs: readonly number[]): Promise<StepRow[]> {
    return this.#sql.rows<StepRow>(
      `SELECT ${STEP_COLUMNS} FROM unnest($1::bigint[]) AS g(run) JOIN workflow_steps
        ON workflow_steps.id BETWEEN run * ${STEPS_PER_RUN} AND run * ${STEPS_PER_RUN} + ${MOST_STEPS} ORDER BY id`,
      [runs],
    )
  }

  /** A plan must not be deleted while a run that uses it is being written. */
  async #lockPlans(): Promise<void> {
    await this.#sql.run("SELECT pg_advisory_xact_lock(hashtextextended(current_schema || ':plans', 2))")
  }

  async #planId(plan: unknown): Promise<number> {
    const { hash, text } = planValues(plan)
    await this.#lockPlans()
    const old = await this.#sql.row<{ id: number }>('SELECT id FROM workflow_plans WHERE hash = $1', [hash])
    if (old) return old.id
    const made = await this.#sql.row<{ id: number }>(
      'INSERT INTO workflow_plans (hash, plan) VALUES ($1, $2) RETURNING id',
      [hash, text],
    )
    return (made as { id: number }).id
  }

  async #step(run: number, change: StepChange, now: number): Promise<void> {
    if (change.state === 'none') {
      await this.#sql.run('DELETE FROM workflow_steps WHERE id = $1', [stepRowId(run, change.step)])
      return
    }
    // What ends keeps its operation and when it began; what begins anew does not.
    await this.#sql.run(
      `INSERT INTO workflow_steps AS s (id, state, operation, operations, started_at, ended_at, deadline, reason, cause,
        by, result_cut, result) VALUES ($1, $2, $3, coalesce($4::int, 0), $5, $6, $7, $8, $9, $10, $11, $12)
       ON CONFLICT (id) DO UPDATE SET state = $2, operation = coalesce($3, s.operation),
        operations = coalesce($4::int, s.operations), started_at = CASE WHEN $6 IS NULL AND s.operations IS DISTINCT FROM $4::int
          THEN $5 ELSE s.started_at END,
        ended_at = $6, deadline = $7, reason = $8, cause = $9, by = $10, result_cut = $11, result = $12`,
      stepValues(run, change, now),
    )
  }

  async #act(run: number, action: NewWorkflowAction, now: number): Promise<void> {
    await this.#sql.run(
      'INSERT INTO workflow_actions (run, at, by, action, step, note) VALUES ($1, $2, $3, $4, $5, $6)',
      actionValues(run, action, now),
    )
  }
}

interface ActionRow {
  at: number
  by: string
  action: string
  step: number | null
  note: string | null
}
