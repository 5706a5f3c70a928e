import { createHash } from 'node:crypto'
import { LedgerError } from '../error.ts'
import { withoutSecrets } from '../without-secrets.ts'
import type { NewWorkflowAction, NewWorkflowRun, StepChange, WorkflowChange } from '../workflow-run.ts'
import { hashOf } from './new-operation.ts'
import { numberOf } from './rows.ts'
import { stepRowId, WORKFLOW_RUN_IDS } from './workflow-row.ts'

// The values that both databases store of workflow runs, in the order of the columns that they name.

export type Value = string | number | null

/** The hash that tells whether a key has the same parameters; null without a key. */
export function paramsHashOf({ key, params }: NewWorkflowRun): string | null {
  return key === undefined ? null : hashOf(params)
}

/** The run that a key belongs to. Throws if it has other parameters. */
export function runOfKey(
  old: { id: number; params_hash: string },
  { workflow, key }: NewWorkflowRun,
  hash: string | null,
): { id: string; created: boolean } {
  const id = WORKFLOW_RUN_IDS.toId(old.id)
  if (old.params_hash !== hash)
    throw new LedgerError(
      'key_conflict',
      `the key ${JSON.stringify(key)} of ${workflow} belongs to ${id}, which has other parameters`,
    )
  return { id, created: false }
}

/** `workflow, plan, steps, params, params_hash, key, session, by`. */
export function newRunValues(run: NewWorkflowRun, plan: number, hash: string | null): Value[] {
  const { workflow, steps, params, key, session, by } = run
  return [workflow, plan, steps, JSON.stringify(params ?? null), hash, key ?? null, session ?? null, by]
}

/** `state, ended_at, reason`. */
export function runStateValues({ state, reason }: WorkflowChange, now: number): Value[] {
  return [
    state as string,
    state === 'running' ? null : now,
    reason === undefined ? null : withoutSecrets(reason),
  ]
}

/** A plan as it is stored, and the hash that it is found by. */
export function planValues(plan: unknown): { hash: string; text: string } {
  const text = JSON.stringify(plan ?? null)
  return { hash: createHash('sha256').update(text).digest('hex'), text }
}

/** The columns of a step in order; those after the deadline say how it ended. */
export type StepValues = [
  id: number,
  state: string,
  operation: Value,
  operations: Value,
  startedAt: number,
  endedAt: number | null,
  deadline: Value,
  ...outcome: Value[],
]

/** All fields that a change of a step may have. */
interface WrittenStep {
  operation?: string
  operations?: number
  deadline?: number
  reason?: string
  cause?: number
  by?: string
  result?: unknown
  resultCut?: boolean
}

/** `id, state, operation, operations, started_at, ended_at, deadline, reason, cause, by, result_cut, result`. */
export function stepValues(run: number, change: StepChange, now: number): StepValues {
  const { state } = change
  const { operation, operations, deadline, reason, cause, by, result, resultCut } = change as WrittenStep
  const isEnd = state !== 'open' && state !== 'asked'
  return [
    stepRowId(run, change.step),
    state,
    operation === undefined ? null : (numberOf(operation) ?? null),
    operations ?? null,
    now,
    isEnd ? now : null,
    deadline ?? null,
    reason === undefined ? null : withoutSecrets(reason),
    cause ?? null,
    by ?? null,
    resultCut === true ? 1 : 0,
    result === undefined ? null : JSON.stringify(result),
  ]
}

/** `run, at, by, action, step, note`. */
export function actionValues(
  run: number,
  { by, action, step, note }: NewWorkflowAction,
  now: number,
): Value[] {
  return [run, now, by, action, step ?? null, note === undefined ? null : withoutSecrets(note)]
}
