import type { Permit } from '../provider/index.ts'
import type { Time } from '../time/index.ts'
import type { Budget } from './budget.ts'

/** What the work is given for one try. */
export interface CallContext {
  /** Aborted when the try ends before the work does: its deadline, the budget, the caller, the cost. */
  readonly signal: AbortSignal
  /** Who is to serve this try; undefined without a provider or pool. */
  readonly provider: string | undefined
  /** Counted from 1. */
  readonly attempt: number
  /** Milliseconds left of the budget, Infinity without one. */
  readonly remainingMs: number
  /** Tells what was spent; amounts add up over all tries. */
  charge(spent: { usd?: number; tokens?: number }): void
  /**
   * Shows what the provider says about its limits while it serves: a response or its headers, or an event of an
   * agent CLI. What the work returns is read by itself.
   */
  observed(seen: unknown): void
  /** Output has been delivered: from now on a second try would deliver it twice. */
  committed(): void
}

/** The work of a call. */
export type CallFunction<T> = (context: CallContext) => T | Promise<T>

/** How one try ended. The only shape in which what the work does reaches the rest. */
export type TryOutcome<T> =
  | { ended: 'returned'; value: T }
  | { ended: 'threw'; error: unknown }
  | { ended: 'timedOut'; reason: unknown }
  | { ended: 'aborted'; reason: unknown }
  | { ended: 'overspent'; reason: unknown }

/** Settings of one try. */
export interface TrySettings {
  time: Time
  budget: Budget
  provider: string | undefined
  permit: Permit | undefined
  attempt: number
  /** Milliseconds that this try may take. */
  limitMs: number
  signal: AbortSignal | undefined
}

/**
 * One try of the work: the only place where it is called. Settles with the first of its end, its deadline, the
 * caller's abort or too high a cost, and leaves no timer, listener or unhandled rejection behind.
 */
export class Try<T> {
  costUsd: number | null = null
  tokens: number | null = null
  isCommitted = false
  readonly #settings: TrySettings
  #controller: AbortController | undefined
  #cancelTimer: (() => void) | undefined
  /** Undefined once the try has ended. */
  #resolve: ((outcome: TryOutcome<T>) => void) | undefined

  constructor(settings: TrySettings) {
    this.#settings = settings
  }

  run(work: CallFunction<T>): Promise<TryOutcome<T>> {
    return new Promise(resolve => {
      this.#resolve = resolve
      const { time, limitMs, signal } = this.#settings
      signal?.addEventListener('abort', this)
      if (limitMs !== Infinity)
        this.#cancelTimer = time.after(limitMs, () => this.#cut('timedOut', timeoutError(limitMs)))
      try {
        Promise.resolve(work(this.#context())).then(
          value => this.#end({ ended: 'returned', value }),
          error => this.#end({ ended: 'threw', error }),
        )
      } catch (error) {
        this.#end({ ended: 'threw', error })
      }
    })
  }

  /** The caller's signal was aborted. */
  handleEvent(): void {
    this.#cut('aborted', this.#settings.signal?.reason)
  }

  #end(outcome: TryOutcome<T>): void {
    const resolve = this.#resolve
    if (!resolve) return
    this.#resolve = undefined
    this.#cancelTimer?.()
    this.#settings.signal?.removeEventListener('abort', this)
    resolve(outcome)
  }

  /** Ends the try before its work does. The signal is aborted first, so that no work goes on unseen. */
  #cut(ended: 'timedOut' | 'aborted' | 'overspent', reason: unknown): void {
    if (!this.#resolve) return
    this.#controllerOf().abort(reason)
    this.#end({ ended, reason })
  }

  #context(): CallContext {
    const { provider, attempt, budget } = this.#settings
    const self = this
    return {
      // Made when it is asked for: work that does not listen does not pay for it.
      get signal() {
        return self.#controllerOf().signal
      },
      provider,
      attempt,
      remainingMs: budget.remainingMs,
      charge: spent => this.#charge(spent),
      observed: seen => this.#settings.permit?.observed?.(seen),
      committed: () => {
        this.isCommitted = true
      },
    }
  }

  #controllerOf(): AbortController {
    this.#controller ??= new AbortController()
    return this.#controller
  }

  #charge({ usd, tokens }: { usd?: number; tokens?: number }): void {
    if (tokens !== undefined) this.tokens = (this.tokens ?? 0) + checked('tokens', tokens)
    if (usd === undefined) return
    this.costUsd = (this.costUsd ?? 0) + checked('usd', usd)
    this.#settings.budget.charge(usd)
    if (this.#settings.budget.isOverspent)
      this.#cut('overspent', new Error('the call costs more than it may'))
  }
}

function checked(what: string, amount: number): number {
  if (typeof amount === 'number' && amount >= 0 && amount < Infinity) return amount
  throw new TypeError(`charge: ${what} must be a number, 0 or more, not ${amount}`)
}

function timeoutError(ms: number): Error {
  return Object.assign(new Error(`timed out after ${Math.round(ms)} ms`), { name: 'TimeoutError' })
}
