import { z } from 'zod'
import { present } from '../../../failure/present.ts'
import { WORKFLOW_RUN_STATES } from '../../../ledger/workflow-run.ts'
import { object } from '../../../shape/value.ts'
import { waitAtMost } from '../../../time/wait-at-most.ts'
import { Graph } from '../../../workflow/graph.ts'
import { mermaidOf } from '../../../workflow/mermaid.ts'
import type { RunView } from '../../../workflow/view.ts'
import { waitForEnd } from '../../../workflow/wait.ts'
import { actionToJson, runToJson, stepResultToJson, workflowToJson } from '../../../workflow/workflow-json.ts'
import { action, workflow, workflowRun } from '../../../workflow/workflow-shape.ts'
import { Workflows } from '../../../workflow/workflows.ts'
import { type Facilities, inForce } from '../facilities.ts'
import { keyOf } from '../idempotency-key.ts'
import { type Route, route } from '../route.ts'
import { acceptsRepeat, name } from '../value-schemas.ts'
import { authorOf, byOf, who } from '../who-schema.ts'

/** Longest time that a request waits for the end of a run, in milliseconds. */
const LONGEST_WAIT_MS = 60_000

const runPath = z.strictObject({ id: z.string().min(1).max(100) })
const stepPath = z.strictObject({ id: z.string().min(1).max(100), step: name })
const list = route({
  method: 'get',
  path: '/v1/workflows',
  id: 'listWorkflows',
  summary: 'Workflows that can be started, with their steps',
  demand: 'look',
  answers: { 200: { description: 'All workflows', schema: z.object({ workflows: z.array(workflow) }) } },
  run(_call, facilities) {
    return { json: { workflows: [...inForce(facilities).workflows].map(workflowToJson) } }
  },
})

const start = route({
  method: 'post',
  path: '/v1/workflows/{name}/runs',
  id: 'startWorkflow',
  summary: 'Start a run; with a key (or Idempotency-Key header), at most once',
  demand: 'submit',
  params: z.strictObject({ name }),
  body: z.strictObject({
    params: object.optional().describe('Its parameters. Default none.'),
    key: z.string().min(1).max(500).optional().describe('The same key and parameters return the same run.'),
    session: z.string().min(1).max(500).optional().describe('The session that gets a notice when it ends.'),
    by: who.by,
  }),
  bodyOptional: true,
  answers: {
    201: { description: 'Started', schema: workflowRun },
    200: { description: 'The existing run with this key', schema: workflowRun },
  },
  async run({ params: { name: wanted }, body, header, caller }, facilities) {
    const { params = {}, by, ...rest } = body
    const given = { ...rest, ...keyOf(rest.key, header) }
    const { workflows, queue } = inForce(facilities)
    const options = present(given)
    const { id, created } = await workflows
      .get(wanted)
      .start(queue, params, { ...options, by: by ?? authorOf(caller) })
    return {
      status: created ? 201 : 200,
      json: runToJson(await new Workflows(queue).show(id)),
      headers: { location: `/v1/workflow_runs/${id}` },
    }
  },
})

const runs = route({
  method: 'get',
  path: '/v1/workflow_runs',
  id: 'listWorkflowRuns',
  summary: 'Runs of workflows, newest first, with what each step waits for',
  demand: 'look',
  query: z.strictObject({
    state: z.array(z.enum(WORKFLOW_RUN_STATES)).min(1).optional().describe('In any of these states.'),
    workflow: z.array(name).min(1).optional().describe('Of any of these workflows.'),
    key: z.string().min(1).max(500).optional().describe('With this key.'),
    limit: z.int().min(1).max(200).optional().describe('Page size. Default 50.'),
    cursor: z.string().max(500).optional().describe('`next` of the page before.'),
  }),
  answers: {
    200: {
      description: 'A page',
      schema: z.object({
        runs: z.array(workflowRun),
        next: z.string().optional().describe('Cursor of the next page; missing on the last one.'),
      }),
    },
  },
  async run({ query: { limit = 50, cursor, ...given } }, facilities) {
    const filter = present(given)
    const page = { limit, ...present({ cursor }) }
    const { items, next } = await workflowsOf(facilities).list(filter, page)
    return { json: { runs: items.map(runToJson), ...present({ next }) } }
  },
})

const get = route({
  method: 'get',
  path: '/v1/workflow_runs/{id}',
  id: 'getWorkflowRun',
  summary: 'One run, with the actions on it; with wait_ms, once it ends or that time has passed',
  demand: 'look',
  params: runPath,
  query: z.strictObject({
    wait_ms: z
      .int()
      .min(0)
      .max(LONGEST_WAIT_MS)
      .optional()
      .describe('Wait at most this long for its end. Default 0.'),
  }),
  answers: { 200: { description: 'The run', schema: workflowRun.extend({ actions: z.array(action) }) } },
  async run({ params: { id }, query: { wait_ms: waitMs = 0 }, signal }, facilities) {
    const workflows = workflowsOf(facilities)
    const found = await workflows.show(id)
    if (waitMs > 0 && found.run.state === 'running')
      await waitAtMost(
        waitMs,
        ends => waitForEnd(inForce(facilities).queue, id, ends),
        facilities.time,
        signal,
      )
    const view = await workflows.show(id)
    const actions = await workflows.actions(id)
    return { json: { ...runToJson(view), actions: actions.map(each => actionToJson(each, view.graph)) } }
  },
})

const graph = route({
  method: 'get',
  path: '/v1/workflow_runs/{id}/graph',
  id: 'getWorkflowGraph',
  summary: 'The run as a Mermaid flowchart, with the state of each step',
  demand: 'look',
  params: runPath,
  answers: { 200: { description: 'The chart', schema: z.object({ mermaid: z.string() }) } },
  async run({ params: { id } }, facilities) {
    const view = await workflowsOf(facilities).show(id)
    const states = view.steps.map(({ state }) => state)
    return { json: { mermaid: mermaidOf(view.graph, states) } }
  },
})

const plan = route({
  method: 'get',
  path: '/v1/workflows/{name}/graph',
  id: 'getWorkflowPlan',
  summary: 'A workflow as a Mermaid flowchart',
  demand: 'look',
  params: z.strictObject({ name }),
  answers: { 200: { description: 'The chart', schema: z.object({ mermaid: z.string() }) } },
  run({ params: { name: wanted } }, facilities) {
    return { json: { mermaid: mermaidOf(new Graph(inForce(facilities).workflows.get(wanted).plan)) } }
  },
})

const result = route({
  method: 'get',
  path: '/v1/workflow_runs/{id}/steps/{step}/result',
  id: 'getStepResult',
  summary: 'The result of a step; stored with the run, even after its operation is deleted',
  demand: 'look',
  params: stepPath,
  answers: {
    200: {
      description: 'Its result; null if there is none',
      schema: z.object({ result: z.unknown(), result_cut: z.boolean().optional() }),
    },
  },
  async run({ params: { id, step: wanted } }, facilities) {
    return { json: stepResultToJson(await workflowsOf(facilities).result(id, wanted)) }
  },
})

const advance = route({
  method: 'post',
  path: '/v1/workflow_runs/{id}/steps/{step}/advance',
  id: 'advanceStep',
  summary:
    'Answer a question, or supply the result of a step that has not succeeded; the run continues with it',
  demand: 'change',
  params: stepPath,
  body: z.strictObject({
    result: z
      .unknown()
      .refine(given => given !== undefined, 'is missing')
      .describe('JSON; must have the fields that the step declares for its answer.'),
    may_repeat: acceptsRepeat,
    ...who,
  }),
  answers: { 200: { description: 'The run after the change', schema: workflowRun } },
  async run(
    { params: { id, step: wanted }, body: { result: given, may_repeat: mayRepeat = false, ...by }, caller },
    facilities,
  ) {
    return changed(workflowsOf(facilities).advance(id, wanted, given, { ...byOf(by, caller), mayRepeat }))
  },
})

const skip = route({
  method: 'post',
  path: '/v1/workflow_runs/{id}/steps/{step}/skip',
  id: 'skipStep',
  summary: 'Continue without a step',
  demand: 'change',
  params: stepPath,
  body: z.strictObject({ may_repeat: acceptsRepeat, ...who }),
  bodyOptional: true,
  answers: { 200: { description: 'The run after the change', schema: workflowRun } },
  async run(
    { params: { id, step: wanted }, body: { may_repeat: mayRepeat = false, ...by }, caller },
    facilities,
  ) {
    return changed(workflowsOf(facilities).skip(id, wanted, { ...byOf(by, caller), mayRepeat }))
  },
})

const retry = route({
  method: 'post',
  path: '/v1/workflow_runs/{id}/retry',
  id: 'retryWorkflowRun',
  summary:
    'Run failed steps again and continue with the rest; with step, only that one; with from, also all that depend on it',
  demand: 'change',
  params: runPath,
  body: z.strictObject({
    step: name.optional().describe('Only this step. Default: all that failed or wait.'),
    from: z
      .boolean()
      .optional()
      .describe('Run the step and all that depend on it again, even if they have succeeded. Default false.'),
    may_repeat: acceptsRepeat,
    ...who,
  }),
  bodyOptional: true,
  answers: { 200: { description: 'The run after the change', schema: workflowRun } },
  async run(
    { params: { id }, body: { step: wanted, from, may_repeat: mayRepeat = false, ...by }, caller },
    facilities,
  ) {
    return changed(
      workflowsOf(facilities).retry(id, {
        ...byOf(by, caller),
        mayRepeat,
        ...present({ step: wanted, from }),
      }),
    )
  },
})

const cancel = route({
  method: 'post',
  path: '/v1/workflow_runs/{id}/cancel',
  id: 'cancelWorkflowRun',
  summary: 'Cancel a run and its open operations; refused if it has succeeded or failed',
  demand: 'change',
  params: runPath,
  body: z.strictObject(who),
  bodyOptional: true,
  answers: { 200: { description: 'The run after the change', schema: workflowRun } },
  async run({ params: { id }, body, caller }, facilities) {
    return changed(workflowsOf(facilities).cancel(id, byOf(body, caller)))
  },
})

function workflowsOf(facilities: Facilities): Workflows {
  return new Workflows(inForce(facilities).queue)
}

async function changed(view: Promise<RunView>) {
  return { json: runToJson(await view) }
}

/** Workflows and their runs. */
export const workflowRoutes: readonly Route[] = [
  list,
  plan,
  start,
  runs,
  get,
  graph,
  result,
  advance,
  skip,
  retry,
  cancel,
]
