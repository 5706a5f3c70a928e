import type { Capability } from '../capability/capability.ts'
import { MOST_STEPS } from '../ledger/workflow-run.ts'
import { checkNames, namesOf } from '../option/check-names.ts'
import type { Plan } from '../plan/plan.ts'
import { isQueueError } from '../queue/error.ts'
import type { Queue } from '../queue/queue.ts'
import type { Attendant, Startable } from '../queue/startable.ts'
import { WorkflowError } from './error.ts'
import { workflowOfGroup } from './group-share.ts'
import { makeWorkflow } from './make.ts'
import { startRun } from './start-run.ts'
import { StartedGroup } from './started-group.ts'
import { type StartOptions, WORKFLOW_KIND } from './workflow.ts'
import { WorkflowService } from './workflow-service.ts'

/** A group to be defined. */
export interface GroupDefinition<P, R, I> {
  /** What it is called: no spaces, no quotes. What is started under the same name shares the limits. */
  name: string
  /** What runs each input, or its name. */
  run: Capability<P, R, I> | string
  /** Runs that are under way at once; one that waits for a person is not. Default no limit. */
  maxRunning?: number
  /**
   * US dollars for all runs together: once spent, no further run begins. A prompt is told what is left when it begins, so
   * runs that are under way together can exceed it. What is started after all have ended has it anew. Default no limit.
   */
  maxCostUsd?: number
  /** Names of the providers that can serve it, the preferred one first. Default those of the capability. */
  providers?: readonly string[]
}

/** Runs of one capability that share limits, providers and fate. `I` is what one of them is run with. */
export interface Group<I = unknown, R = unknown>
  extends Startable<readonly I[], StartedGroup<R>, StartOptions> {
  /** What it is called. */
  readonly name: string
  start(queue: Queue, inputs: readonly I[], options?: StartOptions): Promise<StartedGroup<R>>
  attend(queue: Queue, onError: (error: unknown) => void): Attendant
}

const NAMES = namesOf<GroupDefinition<unknown, unknown, unknown>>({
  name: true,
  run: true,
  maxRunning: true,
  maxCostUsd: true,
  providers: true,
})
/** A name that a place can have. */
const FIELD = /^[A-Za-z_][\w-]*$/

/**
 * Defines a group: start it with a list of inputs, and each is one operation of the capability. A provider that reaches its
 * limit holds those that have not begun; those under way go on in their own sessions when it is back.
 */
export function defineGroup<P = unknown, R = unknown, I = unknown>(
  definition: GroupDefinition<P, R, I>,
): Group<I, R> {
  checkNames('defineGroup', definition, NAMES)
  const { name, run, maxRunning, maxCostUsd, providers } = definition
  const fail = (problem: string): never => {
    throw new WorkflowError('invalid', `group ${JSON.stringify(name)}: ${problem}`)
  }
  if (maxRunning !== undefined && !(Number.isSafeInteger(maxRunning) && maxRunning > 0))
    fail(`maxRunning must be a whole number above 0, not ${maxRunning}`)
  if (maxCostUsd !== undefined && !(Number.isFinite(maxCostUsd) && maxCostUsd > 0))
    fail(`maxCostUsd must be above 0, not ${maxCostUsd}`)
  const capability = typeof run === 'string' ? run : run.name
  const capabilities = new Map(typeof run === 'string' ? [] : [[run.name, run as unknown as Capability]])
  const limits = {
    ...(maxRunning === undefined ? {} : { maxRunning }),
    ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
  }
  const planOf = (inputs: readonly unknown[]): Plan => ({
    name: workflowOfGroup(name),
    group: limits,
    steps: inputs.map((input, index) => ({
      id: memberId(index),
      run: capability,
      after: [],
      onFail: 'continue',
      params: placesOf(input, index, fail),
      ...(providers ? { providers } : {}),
    })),
  })
  return Object.freeze({
    kind: WORKFLOW_KIND,
    name,
    start: async (queue: Queue, inputs: readonly unknown[], options: StartOptions = {}) => {
      if (!Array.isArray(inputs) || inputs.length === 0) fail('it needs a list of at least one input')
      if (inputs.length > MOST_STEPS)
        fail(`it has ${inputs.length} inputs; at most ${MOST_STEPS} are possible`)
      await checkInputs(queue, capability, inputs, fail)
      const workflow = makeWorkflow(planOf(inputs), { capabilities })
      const { id, created } = await startRun(queue, workflow, { inputs }, options)
      return new StartedGroup<R>(queue, id, created, name)
    },
    attend: (queue: Queue, onError: (error: unknown) => void) => new WorkflowService({ queue, onError }),
  })
}

/** All are checked before the first is run; what only another runner knows is checked when it runs. */
async function checkInputs(
  queue: Queue,
  capability: string,
  inputs: readonly unknown[],
  fail: (problem: string) => never,
): Promise<void> {
  if (!queue.registry.has(capability)) return
  for (const [index, params] of inputs.entries())
    await queue.prepare({ capability, params }).catch((error: unknown) => {
      if (!isQueueError(error)) throw error
      fail(`input ${index + 1}: ${error.message}`)
    })
}

/** The name of the step that runs an input. */
function memberId(index: number): string {
  return `run_${index + 1}`
}

/** Inputs are kept with the parameters of the run, and the plan says where: text of a prompt is never read as a place. */
function placesOf(input: unknown, index: number, fail: (problem: string) => never): Record<string, string> {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return fail(`input ${index + 1} must be an object, the parameters of one run`)
  return Object.fromEntries(
    Object.entries(input)
      .filter(([, value]) => value !== undefined)
      .map(([field]) =>
        FIELD.test(field)
          ? [field, `{params.inputs[${index}].${field}}`]
          : fail(`input ${index + 1}: ${JSON.stringify(field)} must have only letters, digits, _ and -`),
      ),
  )
}
