import { KnownFailure } from '../../failure/own-error.ts'
import { type Failure, type FailureKind, failureOfKind } from './scripted-failure.ts'

/** The behaviour of one try. */
export type ScriptStep =
  /** Succeeds with this value. */
  | { ok: unknown }
  /** Throws this, which is then classified. */
  | { throws: unknown }
  /** Fails with exactly this failure, unclassified. */
  | { fails: FailureKind | (Partial<Failure> & Pick<Failure, 'kind'>) }
  /** Runs until aborted. */
  | { hangs: true }

/** The arguments of a try. */
export interface ScriptedTry<P> {
  params: P
  provider: string | undefined
  /** Id of the session to resume. */
  resumed: string | undefined
  /** Number of the run; undefined for a call in process. */
  run: number | undefined
}

/** Plays one step per try. After the last step, every try succeeds with `rest`. */
export class Script<P = unknown> {
  readonly #steps: ScriptStep[]
  readonly #rest: unknown
  /** All tries so far. */
  readonly tries: ScriptedTry<P>[] = []

  constructor(steps: readonly ScriptStep[], rest: unknown = 'ok') {
    this.#steps = [...steps]
    this.#rest = rest
  }

  /** Number of steps not yet played. */
  get left(): number {
    return this.#steps.length
  }

  /** Adds steps at the end. */
  add(...steps: readonly ScriptStep[]): this {
    this.#steps.push(...steps)
    return this
  }

  /** Removes the steps not yet played. */
  clear(): this {
    this.#steps.length = 0
    return this
  }

  async play(tried: ScriptedTry<P>, signal: AbortSignal): Promise<unknown> {
    this.tries.push(tried)
    const step = this.#steps.shift() ?? { ok: this.#rest }
    if ('ok' in step) return step.ok
    if ('throws' in step) throw step.throws
    if ('hangs' in step) return untilAborted(signal)
    const { provider } = tried
    const failure = failureOfKind(step.fails)
    throw new KnownFailure(provider === undefined || failure.provider ? failure : { ...failure, provider })
  }
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
