import { KnownFailure } from '../failure/known-failure.ts'
import { type Failure, type FailureKind, failureOfKind } from './scripted-failure.ts'

/** What one try does. */
export type ScriptStep =
  /** It succeeds with this value. */
  | { ok: unknown }
  /** It throws this, which is classified as anything thrown is. */
  | { throws: unknown }
  /** It fails with exactly this failure. */
  | { fails: FailureKind | (Partial<Failure> & Pick<Failure, 'kind'>) }
  /** It goes on until it is aborted. */
  | { hangs: true }

/** What a try was called with. */
export interface ScriptedTry<P> {
  params: P
  provider: string | undefined
  /** The session that it was to resume. */
  resumed: string | undefined
  /** Number of the run, where there is one. */
  run: number | undefined
}

/** Plays steps one after the other; after the last one every try succeeds with `rest`. */
export class Script<P = unknown> {
  readonly #steps: ScriptStep[]
  readonly #rest: unknown
  /** Every try so far. */
  readonly tries: ScriptedTry<P>[] = []

  constructor(steps: readonly ScriptStep[], rest: unknown = 'ok') {
    this.#steps = [...steps]
    this.#rest = rest
  }

  /** Steps that have not been played. */
  get left(): number {
    return this.#steps.length
  }

  /** Adds steps behind the others. */
  add(...steps: readonly ScriptStep[]): this {
    this.#steps.push(...steps)
    return this
  }

  /** Forgets the steps that have not been played. */
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
