import { z } from 'zod'
import type { Capability, CapabilitySettings } from '../../capability/capability.ts'
import { defineCapability } from '../../capability/define.ts'
import type { RetryPolicy } from '../../capability/retry-policy.ts'
import type { Verification } from '../../capability/verify.ts'
import { WrongArgument } from '../../failure/own-error.ts'
import { checkNames, namesOf } from '../../option/check-names.ts'
import type { Time } from '../../time/time.ts'
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

/** Work for the jobs of any engine, and what is done when it fails. `D` is the data of a job, `R` what the work returns. */
export interface WorkerDefinition<D = Record<string, unknown>, R = unknown>
  extends Pick<CapabilitySettings<D, R>, Shared> {
  /** The work. What it throws or returns is classified. */
  run(data: D, context: JobContext): R | Promise<R>
  /** What it is called in events and reports. Default `worker`. */
  name?: string
  /** What the data of a job must be; a job that does not fit is cancelled at once. Default any object. */
  params?: z.ZodType<D>
  /**
   * Whether the work may run a second time: `none` never, once it may have taken effect; `replay` twice does no harm;
   * `verify_first` it is asked first. Default `none`.
   */
  retry?: RetryPolicy
  /** Asks whether the effect of earlier tries is there; needs `retry: "verify_first"`. Default none. */
  verify?: Verification<D> | Verification<D>['check']
  /** A session that was cut can be continued: `resume` of the context says which. Default false. */
  resumable?: boolean
  /** Sees every result before it counts as success. Default: it does. */
  handleResult?: HandleJobResult<D, R>
  /** Sees every failure and its verdict, and may change the verdict. Default: it stands. */
  handleFailure?: HandleJobFailure<D>
  /** Data that holds where a job says nothing. Default none. */
  defaults?: Partial<D>
  /** Data that holds whatever a job says, for what must not come from outside. Default none. */
  pinned?: Partial<D>
  /** How often a job may wait for a limit to lift. Default 20. */
  maxSnoozes?: number
  /** Longest time of all these waits together, in milliseconds. Default 35 days. */
  maxWaitMs?: number
  /** While a limit stops one job, the others of the same provider wait too. Default true. */
  pause?: boolean
  /** Told of every try, when it begins and when it has ended. Default none. */
  onEvent?: (event: WorkerEvent) => void
  /** Told of a hook, policy or classifier that gave no usable answer. Default a warning of the process. */
  onProblem?: (problem: WorkerProblem) => void
  /** Default the time of this machine. */
  time?: Time
  /** Spreads retries, in [0, 1). Default Math.random. */
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

/** Throws a {@link WrongArgument} that names what is wrong with a definition; else gives what it shares with capabilities. */
export function checkDefinition<D, R>(definition: WorkerDefinition<D, R>): Capability<D, R> {
  if (asObject(definition) === undefined)
    throw new WrongArgument('defineWorker: give an object with run, such as { run: async data => … }')
  checkNames('defineWorker', definition, NAMES)
  const { defaults, pinned, maxSnoozes, maxWaitMs, onEvent, onProblem, pause } = definition
  for (const [option, given] of Object.entries({ defaults, pinned })) {
    if (given === undefined) continue
    if (asObject(given) === undefined) wrong(option, 'an object of names and values', given)
    if (RECORD_KEY in given) throw new WrongArgument(`defineWorker: ${option} must not name ${RECORD_KEY}`)
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

/** What a worker has in common with a capability is checked, and done, in one place. */
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
  throw new WrongArgument(`defineWorker: ${option} must be ${right}, not ${JSON.stringify(given) ?? given}`)
}
