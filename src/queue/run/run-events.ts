import type { CallEvent } from '../../call/event.ts'
import type { ClaimedRun } from '../../engine/engine.ts'
import type { NewAttempt } from '../../ledger/attempt.ts'
import type { PassedOver } from '../../provider/gate.ts'
import type { Time } from '../../time/time.ts'
import { notify } from '../../verdict/listener.ts'

/** Who is told of the tries that a caller waits for. */
export interface RunListener {
  /** What happens to the tries in this process, as a call tells of its own. What it throws is ignored. Default nobody. */
  onEvent?: ((event: CallEvent) => void) | undefined
  /** What the try under way has cost so far, in US dollars, as soon as it is known. Default nobody. */
  onSpent?: ((spent: { costUsd: number }) => void) | undefined
}

/** Tells of the tries of one run, in the words of calls: whoever shows the one can show the other. */
export class RunEvents {
  readonly #listener: RunListener
  readonly #time: Time
  readonly #head: { call: string; name: string }
  /** The last try of this run that failed. */
  #last: NewAttempt | undefined

  constructor(listener: RunListener, { operation }: Pick<ClaimedRun, 'operation'>, time: Time) {
    this.#listener = listener
    this.#time = time
    this.#head = { call: operation.id, name: operation.capability }
  }

  started(
    attempt: number,
    provider: string | undefined,
    remainingMs: number,
    passedOver: readonly PassedOver[] = [],
  ): void {
    const { provider: from, failure, verdict } = this.#last ?? {}
    if (verdict?.action === 'failover' && failure && provider !== undefined)
      this.#emit({ type: 'failed.over', from, to: provider, reason: failure.message })
    this.#emit({ type: 'attempt.started', attempt, provider, remainingMs, passedOver })
  }

  /** A try has ended; a success is told by whoever gives its value. */
  ended(number: number, attempt: NewAttempt): void {
    const { provider, failure, verdict, startedAt, endedAt, costUsd = null } = attempt
    if (!failure || !verdict) return
    this.#last = attempt
    const durationMs = Math.max(0, endedAt - startedAt)
    this.#emit({ type: 'attempt.failed', attempt: number, provider, failure, verdict, durationMs, costUsd })
  }

  waiting(delayMs: number, reason: string): void {
    this.#emit({ type: 'waiting', delayMs, until: this.#time.now() + delayMs, reason })
  }

  spent(costUsd: number | undefined): void {
    if (costUsd !== undefined) notify(this.#listener.onSpent, { costUsd })
  }

  #emit(event: Parts<CallEvent>): void {
    notify(this.#listener.onEvent, { ...this.#head, at: this.#time.now(), ...event } as CallEvent)
  }
}

/** Each kind of event without what all of them have. */
type Parts<E> = E extends unknown ? Omit<E, 'call' | 'name' | 'at'> : never
