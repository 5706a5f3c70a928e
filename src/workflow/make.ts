import type { z } from 'zod'
import type { Capability } from '../capability/capability.ts'
import { MOST_STEPS } from '../ledger/workflow-run.ts'
import { problemsOfFields } from '../plan/field.ts'
import type { Plan } from '../plan/plan.ts'
import { type CapabilityFields, type PlanProblem, problemsOfPlan } from '../plan/problems.ts'
import { WorkflowError } from './error.ts'
import { groupOfWorkflow } from './group-share.ts'
import { fieldsOfCapability } from './schema-fields.ts'
import { startRun } from './start-run.ts'
import { WORKFLOW_KIND, type Workflow } from './workflow.ts'
import { ALL_WORKFLOWS } from './workflow-service.ts'

const NAME = /^[^\s\p{Cc}"'{}]{1,200}$/u
const STEP_NAME = /^[A-Za-z_][\w-]{0,99}$/

/** What a plan is made a workflow with. */
export interface MakeOptions {
  /** Checks what a run is started with. Default the fields that the plan declares. */
  schema?: z.ZodType
  /** The capabilities that steps were given as such, by name. */
  capabilities: ReadonlyMap<string, Capability>
}

/** A workflow of a plan. Throws a {@link WorkflowError} that says everything that is wrong with it. */
export function makeWorkflow<P>(plan: Plan, { schema, capabilities }: MakeOptions): Workflow<P> {
  checkPlan(plan, name => {
    const capability = capabilities.get(name)
    return capability && fieldsOfCapability(capability)
  })
  const workflow: Workflow<P> = {
    kind: WORKFLOW_KIND,
    name: plan.name,
    plan,
    capabilities: [...capabilities.values()],
    problems: params =>
      schema ? problemsOfSchema(schema, params) : problemsOfFields(plan.params ?? {}, params),
    start: (queue, params, options) => startRun(queue, workflow as Workflow, params, options),
    attend: ALL_WORKFLOWS.attend,
  }
  // Without declared parameters anything is right.
  return Object.freeze(schema || plan.params ? workflow : { ...workflow, problems: () => [] })
}

/** Throws a {@link WorkflowError} that says everything that is wrong with a plan, each with its step. */
export function checkPlan(plan: Plan, fieldsOf: CapabilityFields): void {
  const group = typeof plan.name === 'string' ? groupOfWorkflow(plan.name) : undefined
  if (plan.group && (group === undefined || !NAME.test(group)))
    throw new WorkflowError(
      'invalid',
      `a group needs a name without spaces or quotes, such as "reviews", not ${JSON.stringify(group)}`,
    )
  if (typeof plan.name !== 'string' || !(plan.group || NAME.test(plan.name)))
    throw new WorkflowError(
      'invalid',
      `a workflow needs a name without spaces or quotes, such as "release", not ${JSON.stringify(plan.name)}`,
    )
  const fail = (problem: string): never => {
    throw new WorkflowError('invalid', `workflow ${JSON.stringify(plan.name)}: ${problem}`)
  }
  if (!plan.group && group !== undefined) fail('a name that begins with "group:" is that of a group')
  if (plan.steps.length === 0) fail('it has no steps')
  if (plan.steps.length > MOST_STEPS)
    fail(`it has ${plan.steps.length} steps; at most ${MOST_STEPS} are possible`)
  for (const { id, timeoutMs } of plan.steps) {
    if (typeof id !== 'string' || !STEP_NAME.test(id))
      fail(
        `the id of a step must begin with a letter and have only letters, digits, _ and -, not ${JSON.stringify(id)}`,
      )
    if (timeoutMs !== undefined && !(Number.isSafeInteger(timeoutMs) && timeoutMs > 0))
      fail(`step ${JSON.stringify(id)}: timeoutMs must be whole milliseconds above 0, not ${timeoutMs}`)
  }
  const problems = problemsOfPlan(plan, fieldsOf)
  if (problems.length > 0) fail(problems.map(problem => problemInWords(plan, problem)).join('; '))
}

function problemInWords({ steps }: Plan, { step, path, message }: PlanProblem): string {
  const id = step === undefined ? undefined : steps[step]?.id
  const where = [
    ...(id === undefined ? [] : [`step ${JSON.stringify(id)}`]),
    ...(path.length ? [pathText(path)] : []),
  ]
  return `${where.join(', ')} ${message}`
}

function pathText(path: readonly (string | number)[]): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join('')
}

async function problemsOfSchema(schema: z.ZodType, params: unknown): Promise<string[]> {
  const read = await schema.safeParseAsync(params)
  return read.success
    ? []
    : read.error.issues.map(
        ({ path, message }) => `${path.length > 0 ? `${path.join('.')}: ` : ''}${message}`,
      )
}
