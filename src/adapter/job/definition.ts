import { z } from 'zod'
import type { Capability, CapabilitySettings } from '../../capability/capability.ts'
import { defineCapability } from '../../capability/define.ts'
import type { Verification } from '../../capability/verification.ts'
import { WrongArgument } from '../../failure/own-error.ts'
import { quote } from '../../failure/quote.ts'
import { checkNames, namesOf } from '../../option/check-names.ts'
import type { Time } from '../../time/time.ts'
import type { RetryPolicy } from '../../verdict/retry-policy.ts'
import type { HandleJobFailure, HandleJobResult, JobContext } from './context.ts'
import type { WorkerEvent, WorkerProblem } from './event.ts'
import { asObject, RECORD_KEY } from './record.ts'

type Shared =
  | 'classifier'
  | 'policy'
  | 'atomic'
  | 'provider'
  | 'timeoutMs'
  | 'maxRetries'
  | 'backoff'
  | 'retryForMs'

/** Work for the jobs of any engine, and how to handle its failures. `D` is the data of a job, `R` the result. */
export interface WorkerDefinition<D = Record<string, unknown>, R = unknown>
  extends Pick<CapabilitySettings<D, R>, Shared> {
  /** The work. Anything it throws or returns is classified. */
  run(data: D, context: JobContext): R | Promise<R>
  /** Name in events and reports. Default `worker`. */
  name?: string
  /** Schema of the data. A job that does not match is cancelled at once. Default any object. */
  params?: z.ZodType<D>
  /**
   * Whether the work may run again after it may have taken effect: `none`: never; `replay`: yes, running it twice is
   * safe; `verify_first`: only after `verify` says that it had no effect. Default `none`.
   */
  retry?: RetryPolicy
  /** Checks whether an earlier try took effect. Needs `retry: "verify_first"`. Default none. */
  verify?: Verification<D> | Verification<D>['check']
  /** Whether the work can continue an interrupted session, given as `resume` in the context. Default false. */
  resumable?: boolean
  /** Called with every result before it counts as success. Default none. */
  handleResult?: HandleJobResult<D, R>
  /** Called with every failure and its verdict; may change the verdict. Default none. */
  handleFailure?: HandleJobFailure<D>
  /** Data for fields that a job does not set. Default none. */
  defaults?: Partial<D>
  /** Data that overrides a job's, for fields that must not come from outside. Default none. */
  pinned?: Partial<D>
  /** Most times a job may wait for a limit to lift. Default 20. */
  maxSnoozes?: number
  /** Longest total of these waits, in milliseconds. Default 35 days. */
  maxWaitMs?: number
  /** Whether a limit that stops one job also holds back other jobs of the same provider. Default true. */
  pause?: boolean
  /** Called when a try starts and when it has ended. Default none. */
  onEvent?: (event: WorkerEvent) => void
  /** Called when a hook, policy or classifier gives no usable answer. Default emits a process warning. */
  onProblem?: (problem: WorkerProblem) => void
  /** Default the system clock. */
  time?: Time
  /** Random numbers in [0, 1), for jitter. Default Math.random. */
  random?: () => number
}

const NAMES = namesOf<WorkerDefinition>({
  run: true,
  name: true,
  params: true,
  classifier: true,
  policy: true,
  handleResult: true,
  handleFailure: true,
  defaults: true,
  pinned: true,
  retry: true,
  verify: true,
  atomic: true,
  resumable: true,
  provider: true,
  timeoutMs: true,
  maxRetries: true,
  backoff: true,
  retryForMs: true,
  maxSnoozes: true,
  maxWaitMs: true,
  pause: true,
  onEvent: true,
  onProblem: true,
  time: true,
  random: true,
})

const ANYTHING = z.looseObject({})

/** Checks a definition and returns its part that is a capability. Throws a {@link WrongArgument} that names the mistake. */
export function checkDefinition<D, R>(definition: WorkerDefinition<D, R>): Capability<D, R> {
  if (asObject(definition) === undefined)
    throw new WrongArgument(
      'defineWorker: pass an object with a run function, such as { run: async data => … }',
    )
  checkNames('defineWorker', definition, NAMES)
  const { defaults, pinned, maxSnoozes, maxWaitMs, onEvent, onProblem, pause } = definition
  for (const [option, given] of Object.entries({ defaults, pinned })) {
    if (given === undefined) continue
    if (asObject(given) === undefined) wrong(option, 'an object of names and values', given)
    if (RECORD_KEY in given)
      throw new WrongArgument(
        `defineWorker: ${option} must not contain ${RECORD_KEY}, where the counters of a job are kept`,
      )
  }
  if (maxSnoozes !== undefined && !(Number.isInteger(maxSnoozes) && maxSnoozes >= 0))
    wrong('maxSnoozes', 'a whole number, 0 or more', maxSnoozes)
  if (maxWaitMs !== undefined && !(typeof maxWaitMs === 'number' && maxWaitMs > 0))
    wrong('maxWaitMs', 'a number of milliseconds above 0', maxWaitMs)
  if (pause !== undefined && typeof pause !== 'boolean') wrong('pause', 'true or false', pause)
  for (const [option, given] of Object.entries({ onEvent, onProblem }))
    if (given !== undefined && typeof given !== 'function') wrong(option, 'a function', given)
  return asCapability(definition)
}

/** The worker as a capability, so that both share their checks and their code. */
function asCapability<D, R>(definition: WorkerDefinition<D, R>): Capability<D, R> {
  const { name = 'worker', params = ANYTHING, retry = 'none', verify, atomic, resumable } = definition
  const { run, classifier, policy, provider, timeoutMs, maxRetries, backoff, retryForMs } = definition
  const { handleResult, handleFailure } = definition
  try {
    return defineCapability({
      ...{ name, params, retry, verify, atomic, resumable, run },
      ...{ classifier, policy, provider, timeoutMs, maxRetries, backoff, retryForMs },
      ...{ handleResult, handleFailure },
    } as never) as unknown as Capability<D, R>
  } catch (error) {
    const { message } = error as Error
    throw new WrongArgument(message.replace(/^capability ("worker": |: )?/, 'defineWorker: '))
  }
}

function wrong(option: string, right: string, given: unknown): never {
  throw new WrongArgument(`defineWorker: ${option} must be ${right}, not ${quote(given)}`)
}
