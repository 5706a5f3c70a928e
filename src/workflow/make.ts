import type { z } from 'zod'
import type { Capability } from '../capability/capability.ts'
import { MOST_STEPS } from '../ledger/workflow-run.ts'
import { problemsOfFields } from '../plan/field.ts'
import type { Plan } from '../plan/plan.ts'
import { type CapabilityFields, type PlanProblem, problemsOfPlan } from '../plan/problems.ts'
import { WorkflowError } from './error.ts'
import { groupOfWorkflow } from './group-name.ts'
import { fieldsOfCapability } from './schema-fields.ts'
import { startRun } from './start-run.ts'
import { WORKFLOW_KIND, type Workflow } from './workflow.ts'
import { ALL_WORKFLOWS } from './workflow-service.ts'

const NAME = /^[^\s\p{Cc}"'{}]{1,200}$/u
const STEP_NAME = /^[A-Za-z_][\w-]{0,99}$/

/** Options for making a workflow from a plan. */
export interface MakeOptions {
  /** Schema of a run's parameters. Default: the fields that the plan declares. */
  schema?: z.ZodType
  /** The capabilities that steps were given as objects, by name. */
  capabilities: ReadonlyMap<string, Capability>
}

/** Makes a workflow from a plan. Throws a {@link WorkflowError} that lists every problem. */
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
      schema
        ? problemsOfSchema(schema, params)
        : // Without declared parameters, any are valid.
          plan.params
          ? problemsOfFields(plan.params, params)
          : [],
    start: (queue, params, options) => startRun(queue, workflow as Workflow, params, options),
    attend: ALL_WORKFLOWS.attend,
  }
  return Object.freeze(workflow)
}

/** Throws a {@link WorkflowError} that lists every problem of a plan, each with its step. */
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
  if (!plan.group && group !== undefined) fail('names that begin with "group:" are reserved for groups')
  if (plan.steps.length === 0) fail('has no steps')
  if (plan.steps.length > MOST_STEPS) fail(`has ${plan.steps.length} steps; the limit is ${MOST_STEPS}`)
  for (const { id, timeoutMs } of plan.steps) {
    if (typeof id !== 'string' || !STEP_NAME.test(id))
      fail(
        `a step id must begin with a letter or _ and contain only letters, digits, _ and -, not ${JSON.stringify(id)}`,
      )
    if (timeoutMs !== undefined && !(Number.isSafeInteger(timeoutMs) && timeoutMs > 0))
      fail(`step ${JSON.stringify(id)}: timeoutMs must be a whole number above 0, not ${timeoutMs}`)
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
