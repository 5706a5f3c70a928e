import type { DatabaseSync } from 'node:sqlite'
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
import { isOneOf, pageOfRows, type RowCondition } from './row-page.ts'
import { readSnapshot } from './snapshot.ts'
import type { Statements } from './statements.ts'

/** Stores workflow runs, the records of their steps, and actions on them. */
export class WorkflowRecords {
  readonly #db: DatabaseSync
  readonly #statements: Statements
  readonly #time: Time

  constructor(db: DatabaseSync, statements: Statements, time: Time) {
    this.#db = db
    this.#statements = statements
    this.#time = time
  }

  add(run: NewWorkflowRun): { id: string; created: boolean } {
    checkWorkflowRun(run)
    const { workflow, key } = run
    const hash = paramsHashOf(run)
    if (key !== undefined) {
      const old = this.#statements
        .of('SELECT id, params_hash FROM workflow_runs WHERE workflow = ? AND key = ?')
        .get(workflow, key) as { id: number; params_hash: string } | undefined
      if (old) return runOfKey(old, run, hash)
    }
    const now = this.#time.now()
    const { lastInsertRowid } = this.#statements
      .of(`INSERT INTO workflow_runs (workflow, plan, steps, params, params_hash, key, session, by, state, version,
        created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'running', 1, ?, ?)`)
      .run(...newRunValues(run, this.#planId(run.plan), hash), now, now)
    return { id: WORKFLOW_RUN_IDS.toId(Number(lastInsertRowid)), created: true }
  }

  change(id: string, version: number, change: WorkflowChange): boolean {
    const { steps = [], state, action } = change
    const number = WORKFLOW_RUN_IDS.numberOf(id) ?? 0
    const now = this.#time.now()
    const moved =
      state === undefined
        ? this.#statements
            .of(
              'UPDATE workflow_runs SET version = version + 1, updated_at = ?, idle_told_at = NULL WHERE id = ? AND version = ?',
            )
            .run(now, number, version)
        : this.#statements
            .of(`UPDATE workflow_runs SET version = version + 1, updated_at = ?1, idle_told_at = NULL, state = ?2,
              ended_at = ?3, reason = ?4 WHERE id = ?5 AND version = ?6`)
            .run(now, ...runStateValues(change, now), number, version)
    if (moved.changes === 0) return false
    for (const step of steps) this.#step(number, step, now)
    if (action) this.#act(number, action, now)
    return true
  }

  markIdleTold(id: string, version: number): boolean {
    const { changes } = this.#statements
      .of(
        "UPDATE workflow_runs SET idle_told_at = ? WHERE id = ? AND version = ? AND state = 'running' AND idle_told_at IS NULL",
      )
      .run(this.#time.now(), WORKFLOW_RUN_IDS.numberOf(id) ?? 0, version)
    return changes > 0
  }

  /** Called for each end of a step, so it must be cheap: one statement, which sees one state, and one row. */
  get(id: string): WorkflowRun | undefined {
    const number = WORKFLOW_RUN_IDS.numberOf(id) ?? 0
    const row = this.#statements
      .of(`SELECT *, (SELECT json_group_array(json_array(id, state, operation, operations, started_at, ended_at, deadline,
        reason, cause, by, has_result)) FROM (SELECT ${STEP_COLUMNS} FROM workflow_steps WHERE id BETWEEN ?2 AND ?3
        ORDER BY id)) AS step_rows FROM workflow_runs WHERE id = ?1`)
      .get(number, ...stepRowIds(number)) as unknown as (WorkflowRunRow & { step_rows: string }) | undefined
    return row && toWorkflowRun(row, (JSON.parse(row.step_rows) as StepValues[]).map(toStepRow))
  }

  page(filter: WorkflowRunFilter, page: PageRequest): Page<WorkflowRun> {
    const { ids, state, workflow, key, idleBefore } = filter
    const conditions: RowCondition[] = [
      ...isOneOf(
        'id',
        ids?.map(id => WORKFLOW_RUN_IDS.numberOf(id) ?? 0),
      ),
      ...isOneOf('state', state),
      ...isOneOf('workflow', workflow),
      ...isOneOf('key', key),
      ...(idleBefore === undefined
        ? []
        : [{ sql: "state = 'running' AND updated_at < ? AND idle_told_at IS NULL", values: [idleBefore] }]),
    ]
    const read = (row: WorkflowRunRow) => toWorkflowRun(row, this.#steps(row.id))
    return readSnapshot(this.#db, () =>
      pageOfRows(this.#statements, { table: 'workflow_runs', ids: WORKFLOW_RUN_IDS, read }, conditions, page),
    )
  }

  plan(id: string): unknown {
    const row = this.#statements
      .of('SELECT plan FROM workflow_plans WHERE id = ?')
      .get(PLAN_IDS.numberOf(id) ?? 0)
    return row && storedJson(row.plan as string)
  }

  result(run: string, step: number): StepResult | undefined {
    const id = stepRowId(WORKFLOW_RUN_IDS.numberOf(run) ?? 0, step)
    const row = this.#statements.of('SELECT result, result_cut FROM workflow_steps WHERE id = ?').get(id) as
      | { result: string | null; result_cut: number }
      | undefined
    if (!row || row.result === null) return undefined
    return { result: storedJson(row.result), ...(row.result_cut === 1 ? { resultCut: true } : {}) }
  }

  actions(run: string): WorkflowAction[] {
    const rows = this.#statements
      .of('SELECT at, by, action, step, note FROM workflow_actions WHERE run = ? ORDER BY id')
      .all(WORKFLOW_RUN_IDS.numberOf(run) ?? 0) as unknown as ActionRow[]
    return rows.map(({ at, by, action, step, note }) => ({
      at,
      by,
      action,
      ...(step === null ? {} : { step }),
      ...(note === null ? {} : { note }),
    }))
  }

  ofOperations(operations: readonly string[]): StepOfOperation[] {
    const rows = this.#statements
      .of(`WITH given(operation) AS (SELECT value FROM json_each(?)) ${STEPS_OF_OPERATIONS}`)
      .all(JSON.stringify(operations.map(id => numberOf(id) ?? 0)))
    return (rows as unknown as StepOfOperationRow[]).map(toStepOfOperation)
  }

  deadlines(most: number): StepDeadline[] {
    const rows = this.#statements
      .of('SELECT id, deadline FROM workflow_steps WHERE deadline IS NOT NULL ORDER BY deadline LIMIT ?')
      .all(most) as { id: number; deadline: number }[]
    return rows.map(({ id, deadline }) => ({ ...placeOfStep(id), deadline }))
  }

  /** Whether an operation belongs to a step whose end is not recorded yet. */
  needs(operation: number): boolean {
    const row = this.#statements
      .of("SELECT 1 FROM workflow_steps WHERE operation = ? AND state = 'open'")
      .get(operation)
    return row !== undefined
  }

  /** Whether any run ended before this time. Takes no lock. */
  hasOld(before: number): boolean {
    return this.#old(before, 1).length > 0
  }

  /** Deletes at most `most` runs that ended before this time, with their steps. Call it in a transaction. */
  forgetOld(before: number, most: number): number {
    const old = this.#old(before, most)
    for (const { id, plan } of old) {
      this.#statements.of('DELETE FROM workflow_steps WHERE id BETWEEN ? AND ?').run(...stepRowIds(id))
      this.#statements.of('DELETE FROM workflow_actions WHERE run = ?').run(id)
      this.#statements.of('DELETE FROM workflow_runs WHERE id = ?').run(id)
      this.#statements
        .of(
          'DELETE FROM workflow_plans WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM workflow_runs WHERE plan = ?1)',
        )
        .run(plan)
    }
    return old.length
  }

  /** A cancelled run stays until all its operations have ended: their ends must still be recorded. */
  #old(before: number, most: number): { id: number; plan: number }[] {
    return this.#statements
      .of(`SELECT id, plan FROM workflow_runs r WHERE ended_at IS NOT NULL AND ended_at < ? AND NOT EXISTS
        (SELECT 1 FROM workflow_steps s WHERE s.id BETWEEN r.id * ${STEPS_PER_RUN} AND r.id * ${STEPS_PER_RUN} + ${MOST_STEPS} AND s.state = 'open')
        ORDER BY ended_at LIMIT ?`)
      .all(before, most) as { id: number; plan: number }[]
  }

  #steps(run: number): StepRow[] {
    return this.#statements
      .of(`SELECT ${STEP_COLUMNS} FROM workflow_steps WHERE id BETWEEN ? AND ? ORDER BY id`)
      .all(...stepRowIds(run)) as unknown as StepRow[]
  }

  #planId(plan: unknown): number {
    const { hash, text } = planValues(plan)
    const old = this.#statements.of('SELECT id FROM workflow_plans WHERE hash = ?').get(hash)
    if (old) return old.id as number
    return Number(
      this.#statements.of('INSERT INTO workflow_plans (hash, plan) VALUES (?, ?)').run(hash, text)
        .lastInsertRowid,
    )
  }

  #step(run: number, change: StepChange, now: number): void {
    if (change.state === 'none') {
      this.#statements.of('DELETE FROM workflow_steps WHERE id = ?').run(stepRowId(run, change.step))
      return
    }
    const [id, state, operation, operations, startedAt, endedAt, deadline, ...outcome] = stepValues(
      run,
      change,
      now,
    )
    // What ends keeps its operation and when it began. Most do, and this leaves the index by operation alone.
    if (
      endedAt !== null &&
      this.#statements
        .of(`UPDATE workflow_steps SET state = ?, ended_at = ?, deadline = NULL, reason = ?, cause = ?, by = ?,
          result_cut = ?, result = ? WHERE id = ?`)
        .run(state, endedAt, ...outcome, id).changes > 0
    )
      return
    // A step that starts over gets a new start time.
    this.#statements
      .of(`INSERT INTO workflow_steps (id, state, operation, operations, started_at, ended_at, deadline, reason, cause,
        by, result_cut, result) VALUES (?1, ?2, ?3, coalesce(?4, 0), ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
        ON CONFLICT (id) DO UPDATE SET state = ?2, operation = coalesce(?3, operation),
        operations = coalesce(?4, operations), started_at = iif(operations IS NOT ?4, ?5, started_at),
        ended_at = NULL, deadline = ?7, reason = ?8, cause = ?9, by = ?10, result_cut = ?11, result = ?12`)
      .run(id, state, operation, operations, startedAt, endedAt, deadline, ...outcome)
  }

  #act(run: number, action: NewWorkflowAction, now: number): void {
    this.#statements
      .of('INSERT INTO workflow_actions (run, at, by, action, step, note) VALUES (?, ?, ?, ?, ?, ?)')
      .run(...actionValues(run, action, now))
  }
}

/** The columns of a step, in the order of {@link STEP_COLUMNS}. */
type StepValues = [
  StepRow['id'],
  StepRow['state'],
  StepRow['operation'],
  StepRow['operations'],
  StepRow['started_at'],
  StepRow['ended_at'],
  StepRow['deadline'],
  StepRow['reason'],
  StepRow['cause'],
  StepRow['by'],
  StepRow['has_result'],
]

function toStepRow(values: StepValues): StepRow {
  const [id, state, operation, operations, started_at, ended_at, deadline, reason, cause, by, has_result] =
    values
  return { id, state, operation, operations, started_at, ended_at, deadline, reason, cause, by, has_result }
}

interface ActionRow {
  at: number
  by: string
  action: string
  step: number | null
  note: string | null
}
