import type { Time } from '../time/time.ts'
import type { Attempt } from './attempt/attempt.ts'
import { AttemptEvents } from './attempt/events.ts'
import type { Outcome } from './attempt/outcome.ts'
import type { CallFailed } from './call-failed.ts'
import type { CallFunction } from './context.ts'
import type { CallEvent } from './event.ts'
import type { CallOptions } from './options.ts'
import { Spans } from './telemetry.ts'
import { tracing } from './tracing.ts'

let calls = 0

/** How far a call has got. */
export interface Progress {
  attempts: number
  /** The provider of the last attempt. */
  provider: string | undefined
  /** Since the call began. */
  durationMs: number
  costUsd: number | null
}

/** Reports each transition of one call: to the caller, and to a tracer if the application has one. */
export class CallEvents extends AttemptEvents {
  readonly #spans: Spans | undefined

  private constructor(name: string, time: Time, onEvent: CallOptions['onEvent'], spans: Spans | undefined) {
    super(`c${++calls}`, name, time, onEvent)
    this.#spans = spans
  }

  /** Undefined if nothing listens. */
  static for({ name = 'call', onEvent }: CallOptions, time: Time): CallEvents | undefined {
    const found = tracing()
    const spans = found && Spans.start(name, found)
    return onEvent || spans ? new CallEvents(name, time, onEvent, spans) : undefined
  }

  /** Reports success. Written out field by field: two spreads would cost more than all other objects of a call. */
  settled(
    attempts: number,
    { provider, model, usage }: Attempt,
    durationMs: number,
    costUsd: number | null,
    isStream: boolean,
  ): void {
    const { call, name, at } = this.head()
    this.emit({
      call,
      name,
      at,
      type: 'settled',
      outcome: 'succeeded',
      attempts,
      provider,
      model,
      usage,
      isStream,
      durationMs,
      costUsd,
    })
  }

  settledWith(error: CallFailed, progress: Progress): void {
    this.emit({ ...this.head(), type: 'settled', outcome: 'failed', ...progress, error })
  }

  /** It threw control flow, not a failure; see `passThrough`. */
  passedThrough(error: unknown, progress: Progress): void {
    this.emit({ ...this.head(), type: 'settled', outcome: 'passed', ...progress, error })
  }

  streamEnded(
    { number, provider, model, usage }: Attempt,
    outcome: 'ended' | 'cancelled' | 'failed',
    chunks: number,
    { durationMs, costUsd }: Pick<Progress, 'durationMs' | 'costUsd'>,
    error: unknown,
  ): void {
    const what = { attempt: number, provider, outcome, chunks, model, usage, durationMs, costUsd, error }
    this.emit({ ...this.head(), type: 'stream.ended', ...what })
  }

  /** Runs a try within its span, if there is one. */
  within<T>(
    running: { run(work: CallFunction<T>): Promise<Outcome<T>> },
    work: CallFunction<T>,
  ): Promise<Outcome<T>> {
    return this.#spans ? this.#spans.within(() => running.run(work)) : running.run(work)
  }

  protected override emit(event: CallEvent): void {
    this.#spans?.listen(event)
    super.emit(event)
  }
}
