import type { Failure } from '../failure/index.ts'
import type { PassedOver } from '../provider/index.ts'
import type { Time } from '../time/index.ts'
import type { Verdict } from '../verdict/index.ts'
import type { Attempt } from './attempt.ts'
import type { CallFailed } from './call-failed.ts'
import type { CallEvent } from './event.ts'
import { Spans } from './telemetry.ts'

type WithoutHead<E> = E extends CallEvent ? Omit<E, 'call' | 'name' | 'at'> : never

let calls = 0

/** Tells of each transition of one call: to whoever listens, and to a tracer if the application has one. */
export class Emitter {
  readonly #name: string
  readonly #time: Time
  readonly #listeners: readonly ((event: CallEvent) => void)[]
  readonly #call: string
  readonly #spans: Spans | undefined

  constructor(
    { name = 'call', onEvent }: { name?: string; onEvent?: (event: CallEvent) => void },
    time: Time,
  ) {
    this.#name = name
    this.#time = time
    this.#spans = Spans.start(name)
    this.#listeners = [...(onEvent ? [onEvent] : []), ...(this.#spans ? [this.#spans.listen] : [])]
    this.#call = `c${++calls}`
  }

  attemptStarted(
    { number, provider }: Attempt,
    remainingMs: number,
    passedOver: readonly PassedOver[],
  ): void {
    if (this.#isHeard)
      this.#emit({ type: 'attempt.started', attempt: number, ...whoIf(provider), remainingMs, passedOver })
  }

  attemptFailed(
    { number, provider, durationMs, costUsd }: Attempt,
    failure: Failure,
    verdict: Verdict,
  ): void {
    if (this.#isHeard)
      this.#emit({
        type: 'attempt.failed',
        attempt: number,
        ...whoIf(provider),
        failure,
        verdict,
        durationMs,
        costUsd,
      })
  }

  waiting(delayMs: number, reason: string): void {
    if (this.#isHeard) this.#emit({ type: 'waiting', delayMs, until: this.#time.now() + delayMs, reason })
  }

  failedOver(from: string | undefined, to: string, { message }: Failure): void {
    if (this.#isHeard)
      this.#emit({ type: 'failed.over', ...(from === undefined ? {} : { from }), to, reason: message })
  }

  succeeded(
    attempts: number,
    provider: string | undefined,
    durationMs: number,
    costUsd: number | null,
  ): void {
    if (this.#isHeard)
      this.#emit({ type: 'settled', outcome: 'succeeded', attempts, ...whoIf(provider), durationMs, costUsd })
  }

  failed(error: CallFailed, provider: string | undefined, durationMs: number): void {
    const { attempts, costUsd } = error
    if (this.#isHeard)
      this.#emit({
        type: 'settled',
        outcome: 'failed',
        attempts: attempts.length,
        ...whoIf(provider),
        durationMs,
        costUsd,
        error,
      })
  }

  /** Runs the work of a try within its span, if there is one. */
  within<T>(work: () => T): T {
    return this.#spans ? this.#spans.within(work) : work()
  }

  get #isHeard(): boolean {
    return this.#listeners.length > 0
  }

  #emit(event: WithoutHead<CallEvent>): void {
    const whole = { call: this.#call, name: this.#name, at: this.#time.now(), ...event } as CallEvent
    for (const listener of this.#listeners) {
      try {
        listener(whole)
      } catch {
        // Whoever listens must not be able to break the call.
      }
    }
  }
}

function whoIf(provider: string | undefined): { provider?: string } {
  return provider === undefined ? {} : { provider }
}
