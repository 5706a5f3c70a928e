import { AttemptEvents } from '../../call/attempt/events.ts'
import { startFacts } from '../../call/attempt/start-facts.ts'
import type { CallEvent } from '../../call/event.ts'
import type { ClaimedRun } from '../../engine/engine.ts'
import type { NewAttempt } from '../../ledger/attempt.ts'
import type { Time } from '../../time/time.ts'
import { notify } from '../../verdict/listener.ts'

/** Gets notified of the tries that a caller waits for. */
export interface RunListener {
  /**
   * Called with the events of the tries in this process, the same as those of a call. What it throws is ignored. Default: none.
   */
  onEvent?: ((event: CallEvent) => void) | undefined
  /** Called with what the current try has cost so far, in US dollars, as soon as it is known. Default: none. */
  onSpent?: ((spent: { costUsd: number }) => void) | undefined
}

/** Reports the tries of one run with the events of a call. */
export class RunEvents extends AttemptEvents {
  readonly #onSpent: RunListener['onSpent']

  constructor({ onEvent, onSpent }: RunListener, { operation }: Pick<ClaimedRun, 'operation'>, time: Time) {
    const { id, capability, params } = operation
    super(id, capability, time, onEvent, onEvent && { capability, ...startFacts(params) })
    this.#onSpent = onSpent
  }

  /** A try has ended; `queue.run` reports a success by returning its value. */
  ended(number: number, { startedAt, endedAt, provider, failure, verdict, costUsd }: NewAttempt): void {
    if (!failure || !verdict) return
    const durationMs = Math.max(0, endedAt - startedAt)
    this.failed({ number, provider, durationMs, costUsd: costUsd ?? null }, failure, verdict)
  }

  spent(costUsd: number | undefined): void {
    if (costUsd !== undefined) notify(this.#onSpent, { costUsd })
  }
}
