import type { CapabilityRegistry } from '../capability/registry.ts'
import { present } from '../failure/present.ts'
import type { WorkflowRun } from '../ledger/workflow-run.ts'
import { answerOf } from '../ledger/writing.ts'
import { checkNames, namesOf } from '../option/check-names.ts'
import { sourcesIn } from '../plan/placeholder.ts'
import { problemsOfPlan } from '../plan/problems.ts'
import type { Queue } from '../queue/queue.ts'
import { beginSteps } from './begin-steps.ts'
import { WorkflowError } from './error.ts'
import { Graph } from './graph.ts'
import { Progress } from './progress.ts'
import { fieldsOfCapability } from './schema-fields.ts'
import { StartedRun } from './started-run.ts'
import type { StartOptions, Workflow } from './workflow.ts'
import { begunOf, writeProgress } from './write.ts'

/** Maximum size of a run's parameters as JSON, in bytes: 1 MiB. */
const PARAMS_LIMIT_BYTES = 2 ** 20
const NAMES = namesOf<StartOptions>({ key: true, session: true, by: true })

/**
 * Stores a run with its first steps, in one transaction. Throws a {@link WorkflowError} for invalid parameters. If a run
 * with the same key exists, returns that one.
 */
export async function startRun(
  queue: Queue,
  workflow: Workflow,
  given: unknown,
  options: StartOptions = {},
): Promise<StartedRun> {
  checkNames('start', options, NAMES)
  const { key, session, by = session ?? 'code' } = options
  const params = await checkedParams(workflow, given ?? {})
  checkCapabilities(queue, workflow)
  const now = queue.time.now()
  const graph = new Graph(workflow.plan)
  // Not stored yet: it gets its id in the transaction.
  const draft: WorkflowRun = {
    id: '',
    workflow: workflow.name,
    plan: '',
    params,
    state: 'running',
    version: 1,
    by,
    createdAt: now,
    updatedAt: now,
    steps: [],
  }
  const progress = new Progress(draft, graph)
  await beginSteps(queue, progress, { knownOnly: true })
  const run = {
    workflow: workflow.name,
    plan: workflow.plan,
    steps: graph.steps.length,
    params,
    by,
    ...present({ key, session }),
  }
  const added = await queue.ledger.transaction(function* (writes) {
    const { id, created } = yield* answerOf(writes.addWorkflowRun(run))
    if (!created) return { id, created }
    const about = { workflow_run: id, workflow: workflow.name, by, ...begunOf(progress) }
    yield* answerOf(writes.tell('workflow_started', about))
    yield* writeProgress(writes, progress.as(id))
    return { id, created }
  })
  if (added.created) await queue.engine.wake()
  return new StartedRun(queue, added.id, added.created)
}

async function checkedParams({ name, plan, problems }: Workflow, given: unknown): Promise<unknown> {
  let text: string | undefined
  try {
    text = JSON.stringify(given)
  } catch (error) {
    throw new WorkflowError(
      'invalid_params',
      `the parameters of ${name} must be JSON: ${(error as Error).message}`,
    )
  }
  if (text === undefined) throw new WorkflowError('invalid_params', `the parameters of ${name} must be JSON`)
  if (Buffer.byteLength(text) > PARAMS_LIMIT_BYTES)
    throw new WorkflowError(
      'invalid_params',
      `the parameters of ${name} have ${Buffer.byteLength(text)} bytes; the limit is ${PARAMS_LIMIT_BYTES}`,
    )
  const params = JSON.parse(text) as unknown
  const found = await problems(params)
  if (found.length > 0)
    throw new WorkflowError(
      'invalid_params',
      `the parameters are invalid for workflow "${name}": ${found.join('; ')}`,
    )
  const lacking = sourcesIn(plan.steps.map(step => [step.params, step.ask])).find(
    ({ of, path }) =>
      of === 'params' && path.length > 0 && !hasField(params, path[0] as string) && !plan.params,
  )
  if (lacking)
    throw new WorkflowError(
      'invalid_params',
      `workflow "${name}" uses the parameter ${lacking.path[0]}, which is missing`,
    )
  return params
}

function hasField(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
}

/** Workflows already checked against all their capabilities; neither ever changes. */
const FITTING = new WeakMap<CapabilityRegistry, WeakSet<Workflow>>()

/** Checks steps against the capabilities of this process, including those the workflow refers to by name. */
function checkCapabilities({ registry }: Queue, workflow: Workflow): void {
  if (FITTING.get(registry)?.has(workflow)) return
  const { name, plan } = workflow
  const problems = problemsOfPlan(plan, called => {
    const capability = registry.get(called)
    return capability && fieldsOfCapability(capability)
  })
  const [first] = problems
  if (first) {
    const id = first.step === undefined ? '' : `step ${JSON.stringify(plan.steps[first.step]?.id)}: `
    throw new WorkflowError('invalid', `workflow "${name}": ${id}${first.path.join('.')} ${first.message}`)
  }
  if (!plan.steps.every(({ run }) => run === undefined || registry.has(run))) return
  const fitting = FITTING.get(registry) ?? new WeakSet()
  FITTING.set(registry, fitting.add(workflow))
}
