import type { Failure } from '../failure/failure.ts'
import type { PassedOver } from '../provider/gate.ts'
import type { Time } from '../time/time.ts'
import { notify } from '../verdict/listener.ts'
import type { Succeeded } from '../verdict/succeeded.ts'
import type { Verdict } from '../verdict/verdict.ts'
import type { Attempt } from './attempt.ts'
import type { CallFailed } from './call-failed.ts'
import type { CallEvent } from './event.ts'
import type { CallOptions } from './options.ts'
import { Spans } from './telemetry.ts'
import type { CallFunction, Try, TryOutcome } from './try.ts'

let calls = 0

/** Tells of each transition of one call: to whoever listens, and to a tracer if the application has one. */
export class Emitter {
  readonly #name: string
  readonly #time: Time
  readonly #onEvent: ((event: CallEvent) => void) | undefined
  readonly #spans: Spans | undefined
  readonly #call: string

  private constructor(name: string, time: Time, onEvent: CallOptions['onEvent'], spans: Spans | undefined) {
    this.#name = name
    this.#time = time
    this.#onEvent = onEvent
    this.#spans = spans
    this.#call = `c${++calls}`
  }

  /** Undefined where nobody would hear it. */
  static for({ name = 'call', onEvent }: CallOptions, time: Time): Emitter | undefined {
    const spans = Spans.start(name)
    return onEvent || spans ? new Emitter(name, time, onEvent, spans) : undefined
  }

  attemptStarted(
    { number, provider, startedAt }: Attempt,
    remainingMs: number,
    passedOver: readonly PassedOver[],
  ): void {
    this.#emit({
      call: this.#call,
      name: this.#name,
      at: startedAt,
      type: 'attempt.started',
      attempt: number,
      provider,
      remainingMs,
      passedOver,
    })
  }

  attemptFailed(
    { number, provider, durationMs, costUsd }: Attempt,
    failure: Failure,
    verdict: Verdict,
  ): void {
    this.#emit({
      ...this.#head(),
      type: 'attempt.failed',
      attempt: number,
      provider,
      failure,
      verdict,
      durationMs,
      costUsd,
    })
  }

  attemptAnswered(
    { number, provider, durationMs, costUsd }: Attempt,
    failure: Failure,
    { reason }: Succeeded,
  ): void {
    this.#emit({
      ...this.#head(),
      type: 'attempt.answered',
      attempt: number,
      provider,
      failure,
      reason,
      durationMs,
      costUsd,
    })
  }

  waiting(delayMs: number, reason: string): void {
    const head = this.#head()
    this.#emit({ ...head, type: 'waiting', delayMs, until: head.at + delayMs, reason })
  }

  failedOver(from: string | undefined, to: string, { message }: Failure): void {
    this.#emit({ ...this.#head(), type: 'failed.over', from, to, reason: message })
  }

  succeeded(
    attempts: number,
    provider: string | undefined,
    durationMs: number,
    costUsd: number | null,
  ): void {
    this.#emit({
      call: this.#call,
      name: this.#name,
      at: this.#time.now(),
      type: 'settled',
      outcome: 'succeeded',
      attempts,
      provider,
      durationMs,
      costUsd,
    })
  }

  failed(error: CallFailed, provider: string | undefined, durationMs: number): void {
    const { attempts, costUsd } = error
    this.#emit({
      ...this.#head(),
      type: 'settled',
      outcome: 'failed',
      attempts: attempts.length,
      provider,
      durationMs,
      costUsd,
      error,
    })
  }

  passed(
    error: unknown,
    attempts: number,
    provider: string | undefined,
    durationMs: number,
    costUsd: number | null,
  ): void {
    this.#emit({
      ...this.#head(),
      type: 'settled',
      outcome: 'passed',
      attempts,
      provider,
      durationMs,
      costUsd,
      error,
    })
  }

  streamEnded(
    { number, provider }: Attempt,
    outcome: 'ended' | 'cancelled' | 'failed',
    chunks: number,
    durationMs: number,
    costUsd: number | null,
    error: unknown,
  ): void {
    this.#emit({
      ...this.#head(),
      type: 'stream.ended',
      attempt: number,
      provider,
      outcome,
      chunks,
      durationMs,
      costUsd,
      error,
    })
  }

  /** Runs a try within its span, if there is one. */
  within<T>(running: Try<T>, work: CallFunction<T>): Promise<TryOutcome<T>> {
    return this.#spans ? this.#spans.within(() => running.run(work)) : running.run(work)
  }

  #head() {
    return { call: this.#call, name: this.#name, at: this.#time.now() }
  }

  #emit(event: CallEvent): void {
    this.#spans?.listen(event)
    notify(this.#onEvent, event)
  }
}
