import { hideSecrets } from '../capability/secret/hide-secrets.ts'
import type { StepResult, WorkflowAction } from '../ledger/workflow-run.ts'
import type { PlanStep } from '../plan/plan.ts'
import { jsonWriter } from '../shape/json-writer.ts'
import type { Graph } from './graph.ts'
import type { RunView, StepView } from './view.ts'
import type { Workflow } from './workflow.ts'
import { action, workflow, workflowRun } from './workflow-shape.ts'

const writeRun = jsonWriter(workflowRun)
const writeWorkflow = jsonWriter(workflow)
const writeAction = jsonWriter(action)

/** Converts a run to JSON, with what each step waits for. Results are read separately, one by one. */
export function runToJson({ run, status, steps }: RunView) {
  return writeRun({ ...run, status, params: hideSecrets(run.params, undefined), steps: steps.map(stepOf) })
}

function stepOf({ step, state, record, operation, wait, question, reason }: StepView) {
  return {
    ...planned(step),
    operations: 0,
    hasResult: false,
    ...record,
    state,
    reason,
    question,
    waitsFor: wait,
    attempts: operation?.attempts,
    retries: operation?.retries,
    costUsd: operation?.costUsd,
  }
}

function planned(step: PlanStep) {
  return { ...step, optional: step.optional === true }
}

/** Converts a workflow to JSON: its description, parameters and steps. */
export function workflowToJson({ name, plan }: Workflow) {
  return writeWorkflow({ ...plan, name, steps: plan.steps.map(planned) })
}

/** Converts an action on a run to JSON. */
export function actionToJson(given: WorkflowAction, graph: Graph) {
  return writeAction({ ...given, step: given.step === undefined ? undefined : graph.at(given.step).id })
}

/** Converts the result of a step to JSON. */
export function stepResultToJson(kept: StepResult | undefined) {
  return {
    result: hideSecrets(kept?.result ?? null, undefined),
    ...(kept?.resultCut ? { result_cut: true } : {}),
  }
}
