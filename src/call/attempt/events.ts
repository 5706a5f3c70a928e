import type { Failure } from '../../failure/failure.ts'
import type { PassedOver } from '../../provider/gate.ts'
import type { Time } from '../../time/time.ts'
import { notify } from '../../verdict/listener.ts'
import type { Succeeded } from '../../verdict/succeeded.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import type { CallEvent } from '../event.ts'
import type { RefusedRepeat } from '../second-try.ts'
import type { Attempt } from './attempt.ts'
import type { StartFacts } from './start-facts.ts'

type OperationFacts = StartFacts & { capability: string }
type Listener = (event: CallEvent) => void

/**
 * Reports every attempt of one call, or of one run of an operation, with the same events, so a program that shows one can show
 * the other.
 */
export class AttemptEvents {
  readonly #call: string
  readonly #name: string
  readonly #time: Time
  readonly #onEvent: Listener | undefined
  readonly #facts: OperationFacts | undefined
  /** The last attempt that failed. */
  #failed: { provider: string | undefined; failure: Failure } | undefined

  /**
   * @param call id of the call or the operation
   * @param name its name
   * @param facts about the operation; undefined for a call
   */
  constructor(
    call: string,
    name: string,
    time: Time,
    onEvent: Listener | undefined,
    facts: OperationFacts | undefined = undefined,
  ) {
    this.#facts = facts
    this.#call = call
    this.#name = name
    this.#time = time
    this.#onEvent = onEvent
  }

  /** An attempt begins. If its provider is not the one that failed, it is a failover. */
  started(
    {
      number,
      provider,
      startedAt,
    }: Pick<Attempt, 'number' | 'startedAt'> & { provider?: string | undefined },
    remainingMs: number,
    passedOver: readonly PassedOver[],
  ): void {
    const failed = this.#failed
    if (failed && provider !== undefined && provider !== failed.provider) {
      const reason = failed.failure.message
      this.emit({ ...this.head(), type: 'failed.over', from: failed.provider, to: provider, reason })
    }
    this.emit({
      call: this.#call,
      name: this.#name,
      at: startedAt,
      type: 'attempt.started',
      attempt: number,
      provider,
      remainingMs,
      passedOver,
      ...this.#facts,
    })
  }

  failed(
    {
      number,
      provider,
      durationMs,
      costUsd,
      model,
      usage,
    }: Pick<Attempt, 'number' | 'durationMs' | 'costUsd'> &
      Partial<Pick<Attempt, 'model' | 'usage'>> & {
        provider?: string | undefined
      },
    failure: Failure,
    verdict: Verdict,
    refusedRepeat?: RefusedRepeat,
  ): void {
    this.#failed = { provider, failure }
    const what = { attempt: number, provider, model, failure, verdict, usage, durationMs, costUsd }
    const refused = refusedRepeat ? { refusedRepeat } : {}
    this.emit({ ...this.head(), type: 'attempt.failed', ...what, ...refused })
  }

  /** A policy answered a failed attempt with a result. */
  answered(
    { number, provider, model, usage, durationMs, costUsd }: Attempt,
    failure: Failure,
    { reason }: Succeeded,
  ): void {
    const what = { attempt: number, provider, model, failure, reason, usage, durationMs, costUsd }
    this.emit({ ...this.head(), type: 'attempt.answered', ...what })
  }

  waiting(delayMs: number, reason: string): void {
    const head = this.head()
    this.emit({ ...head, type: 'waiting', delayMs, until: head.at + delayMs, reason })
  }

  protected head(): { call: string; name: string; at: number } {
    return { call: this.#call, name: this.#name, at: this.#time.now() }
  }

  protected emit(event: CallEvent): void {
    notify(this.#onEvent, event)
  }
}
