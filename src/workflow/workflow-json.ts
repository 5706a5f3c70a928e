import { hideSecrets } from '../capability/secret/hide-secrets.ts'
import type { StepResult, WorkflowAction } from '../ledger/workflow-run.ts'
import type { Field, PlanStep } from '../plan/plan.ts'
import { timeToJson } from '../time/time-json.ts'
import type { Graph } from './graph.ts'
import type { RunView, StepView, Wait } from './view.ts'
import type { Workflow } from './workflow.ts'

/** Converts a run to JSON, with what each step waits for. Results are read separately, one by one. */
export function runToJson({ run, status, steps }: RunView): Record<string, unknown> {
  return {
    id: run.id,
    workflow: run.workflow,
    state: run.state,
    status,
    ...present({ reason: run.reason, key: run.key, session: run.session }),
    by: run.by,
    params: hideSecrets(run.params, undefined),
    created_at: timeToJson(run.createdAt),
    updated_at: timeToJson(run.updatedAt),
    ...(run.endedAt === undefined ? {} : { ended_at: timeToJson(run.endedAt) }),
    version: run.version,
    steps: steps.map(stepToJson),
  }
}

function stepToJson({
  step,
  state,
  record,
  operation,
  wait,
  question,
  reason,
}: StepView): Record<string, unknown> {
  return {
    ...planStepToJson(step),
    state,
    ...present({ reason, question }),
    ...(wait ? { waits_for: waitToJson(wait) } : {}),
    ...(record
      ? {
          ...present({ operation: record.operation, by: record.by }),
          operations: record.operations,
          started_at: timeToJson(record.startedAt),
          ...(record.endedAt === undefined ? {} : { ended_at: timeToJson(record.endedAt) }),
          has_result: record.hasResult,
        }
      : { operations: 0, has_result: false }),
    ...(operation
      ? { attempts: operation.attempts, retries: operation.retries, cost_usd: operation.costUsd }
      : {}),
  }
}

function waitToJson({ what, until, deadline, steps }: Wait): Record<string, unknown> {
  return {
    what,
    ...(until === undefined ? {} : { until: timeToJson(until) }),
    ...(deadline === undefined ? {} : { deadline: timeToJson(deadline) }),
    ...(steps ? { steps } : {}),
  }
}

/** Converts a step of a plan to JSON. */
function planStepToJson({ id, run, ask, answer, after, when, optional, onFail, timeoutMs }: PlanStep) {
  return {
    id,
    ...present({ run, ask, answer: answer && fieldsToJson(answer) }),
    after,
    ...present({ when }),
    optional: optional === true,
    on_fail: onFail,
    ...present({ timeout_ms: timeoutMs }),
  }
}

/** Converts the fields of parameters or of an answer to JSON. */
function fieldsToJson(fields: Readonly<Record<string, Field>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, { type, required }]) => [name, { type, required }]),
  )
}

/** Converts a workflow to JSON: its description, parameters and steps. */
export function workflowToJson({ name, plan }: Workflow): Record<string, unknown> {
  return {
    name,
    ...present({ description: plan.description, params: plan.params && fieldsToJson(plan.params) }),
    steps: plan.steps.map(planStepToJson),
  }
}

/** Converts an action on a run to JSON. */
export function actionToJson(
  { at, by, action, step, note }: WorkflowAction,
  graph: Graph,
): Record<string, unknown> {
  return {
    at: timeToJson(at),
    by,
    action,
    ...(step === undefined ? {} : { step: graph.at(step).id }),
    ...present({ note }),
  }
}

/** Converts the result of a step to JSON. */
export function stepResultToJson(kept: StepResult | undefined): Record<string, unknown> {
  return {
    result: hideSecrets(kept?.result ?? null, undefined),
    ...(kept?.resultCut ? { result_cut: true } : {}),
  }
}

function present(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
