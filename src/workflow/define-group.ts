import type { Capability } from '../capability/capability.ts'
import { present } from '../failure/present.ts'
import { MOST_STEPS } from '../ledger/workflow-run.ts'
import { checkNames, namesOf } from '../option/check-names.ts'
import type { Plan } from '../plan/plan.ts'
import { isQueueError } from '../queue/error.ts'
import type { Queue } from '../queue/queue.ts'
import type { Attendant, Startable } from '../queue/startable.ts'
import { WorkflowError } from './error.ts'
import { workflowOfGroup } from './group-name.ts'
import { makeWorkflow } from './make.ts'
import { startRun } from './start-run.ts'
import { StartedGroup } from './started-group.ts'
import { type StartOptions, WORKFLOW_KIND } from './workflow.ts'
import { WorkflowService } from './workflow-service.ts'

/** The definition of a group. */
export interface GroupDefinition<P, R, I> {
  /** Its name, without spaces or quotes. All runs started under the same name share the limits. */
  name: string
  /** The capability that runs each input, or its name. */
  run: Capability<P, R, I> | string
  /** Maximum number of runs at once; a run that waits for a person does not count. Default no limit. */
  maxRunning?: number
  /**
   * Cost limit of all runs together, in US dollars: once spent, no further run starts. Each prompt starts with what is
   * left as its own limit, so parallel runs can exceed it together. Runs started after all have ended get the full limit
   * again. Default no limit.
   */
  maxCostUsd?: number
  /** Names of the providers that can serve it, in order of preference. Default: those of the capability. */
  providers?: readonly string[]
}

/** Runs of one capability that share limits, providers and fate. `I` is the type of one run's parameters. */
export interface Group<I = unknown, R = unknown>
  extends Startable<readonly I[], StartedGroup<R>, StartOptions> {
  /** Its name. */
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
/** Names that can be used in a place. */
const FIELD = /^[A-Za-z_][\w-]*$/

/**
 * Defines a group. Start it with a list of inputs: each becomes one operation of the capability. When a provider reaches
 * its limit, runs that have not started are held; interrupted ones continue in their own sessions when it is back.
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
  const limits = present({ maxRunning, maxCostUsd })
  const planOf = (inputs: readonly unknown[]): Plan => ({
    name: workflowOfGroup(name),
    group: limits,
    steps: inputs.map((input, index) => ({
      id: memberId(index),
      run: capability,
      after: [],
      onFail: 'continue',
      params: placesOf(input, index, fail),
      ...present({ providers }),
    })),
  })
  return Object.freeze({
    kind: WORKFLOW_KIND,
    name,
    start: async (queue: Queue, inputs: readonly unknown[], options: StartOptions = {}) => {
      if (!Array.isArray(inputs) || inputs.length === 0) fail('needs a list of at least one input')
      if (inputs.length > MOST_STEPS) fail(`has ${inputs.length} inputs; the limit is ${MOST_STEPS}`)
      await checkInputs(queue, capability, inputs, fail)
      const workflow = makeWorkflow(planOf(inputs), { capabilities })
      const { id, created } = await startRun(queue, workflow, { inputs }, options)
      return new StartedGroup<R>(queue, id, created, name)
    },
    attend: (queue: Queue, onError: (error: unknown) => void) => new WorkflowService({ queue, onError }),
  })
}

/** Checks all inputs before the first one runs. If only another runner has the capability, they are checked when they run. */
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

/** The id of the step that runs an input. */
function memberId(index: number): string {
  return `run_${index + 1}`
}

/** Refers by places to inputs stored as parameters of the run, so that text in a prompt is never read as a place. */
function placesOf(input: unknown, index: number, fail: (problem: string) => never): Record<string, string> {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return fail(`input ${index + 1} must be an object, the parameters of one run`)
  return Object.fromEntries(
    Object.entries(input)
      .filter(([, value]) => value !== undefined)
      .map(([field]) =>
        FIELD.test(field)
          ? [field, `{params.inputs[${index}].${field}}`]
          : fail(`input ${index + 1}: ${JSON.stringify(field)} may contain only letters, digits, _ and -`),
      ),
  )
}
