import type { Failure } from '../failure/failure.ts'
import { WrongArgument } from '../failure/own-error.ts'
import type { Permit } from '../provider/gate.ts'
import type { Time } from '../time/time.ts'
import type { Budget } from './budget.ts'

/** Name of the error that a signal is aborted with when the call costs more than it may; a deadline says `TimeoutError`. */
export const OVERSPENT = 'OverspentError'

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
  /** The session that this try continues, and the failure that it goes on after; undefined for a try from the start. */
  readonly resume: Resume | undefined
  /** Tells what was spent; amounts add up over all tries. */
  charge(spent: { usd?: number; tokens?: number }): void
  /**
   * Shows what the provider says about its limits while it serves: a response or its headers, an event of an agent
   * CLI, the end of a program, or the failure of a limit that it got over. What the work returns is read by itself.
   */
  observed(seen: unknown): void
  /** Output has been delivered: from now on a second try would deliver it twice. */
  committed(): void
}

/** A session of a failed try that the next one continues. */
export interface Resume {
  readonly sessionId: string
  readonly failure: Failure
}

/** The work of a call. */
export type CallFunction<T> = (context: CallContext) => T | Promise<T>

/** How one try ended. The only shape in which what the work does reaches the rest. */
export type TryOutcome<T> =
  /** With what was `seen` of it, where that tells more than the value itself: the body of a failed answer. */
  | { ended: 'returned'; value: T; seen?: unknown }
  | { ended: 'threw'; error: unknown }
  | ({ ended: 'timedOut' } & Cut)
  | ({ ended: 'aborted' } & Cut)
  | ({ ended: 'overspent' } & Cut)

/** A try that ended before its work did. */
interface Cut {
  reason: unknown
  /** What the work threw within its grace, which tells what it had done by then. */
  said?: unknown
}

/** Settings of one try. */
export interface TrySettings {
  time: Time
  budget: Budget
  provider: string | undefined
  permit: Permit | undefined
  attempt: number
  /** Milliseconds left of the budget. */
  remainingMs: number
  /** Milliseconds that this try may take. */
  limitMs: number
  /** Milliseconds that the work has to end by itself once its signal is aborted. */
  graceMs: number
  resume: Resume | undefined
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
  /** False if the caller's abort came first. */
  isBegun = false
  /** Told of a cost that is too high when the work has returned, and its stream goes on. */
  onOverspent: ((error: Error) => void) | undefined
  readonly #settings: TrySettings
  #controller: AbortController | undefined
  #cancelTimer: (() => void) | undefined
  #cut: ({ ended: 'timedOut' | 'aborted' | 'overspent' } & Cut) | undefined
  /** Undefined once the try has ended. */
  #resolve: ((outcome: TryOutcome<T>) => void) | undefined

  constructor(settings: TrySettings) {
    this.#settings = settings
  }

  run(work: CallFunction<T>): Promise<TryOutcome<T>> {
    return new Promise(resolve => {
      this.#resolve = resolve
      const { time, limitMs, signal } = this.#settings
      if (signal?.aborted) {
        // By whoever was told that the try begins: nobody would hear of it any more.
        this.#end({ ended: 'aborted', reason: signal.reason })
        return
      }
      signal?.addEventListener('abort', this)
      if (limitMs !== Infinity) this.#cancelTimer = time.after(limitMs, () => this.#timedOut())
      this.isBegun = true
      try {
        Promise.resolve(work(new TryContext(this, this.#settings))).then(
          value => this.#returned(value),
          error => this.#threw(error),
        )
      } catch (error) {
        this.#threw(error)
      }
    })
  }

  /** Reads the limit itself: a timer that keeps hold of it would need a scope of its own for every try. */
  #timedOut(): void {
    this.#stop('timedOut', timeoutError(this.#settings.limitMs))
  }

  /** The caller's signal was aborted. */
  handleEvent(): void {
    this.#stop('aborted', this.#settings.signal?.reason)
  }

  /** Work that came to its end within its grace has succeeded, and its price is paid; what was cancelled nobody wants. */
  #returned(value: T): void {
    this.#end(this.#cut?.ended === 'aborted' ? this.#cut : { ended: 'returned', value })
  }

  #threw(error: unknown): void {
    this.#end(this.#cut ? { ...this.#cut, said: error } : { ended: 'threw', error })
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
  #stop(ended: 'timedOut' | 'aborted' | 'overspent', reason: unknown): void {
    if (!this.#resolve || this.#cut) return
    const cut = { ended, reason }
    this.#cut = cut
    this.#cancelTimer?.()
    const { time, graceMs } = this.#settings
    if (graceMs > 0) this.#cancelTimer = time.after(graceMs, () => this.#end(cut))
    this.#controllerOf().abort(reason)
    if (graceMs === 0) this.#end(cut)
  }

  /** Tells the work, which has returned, that nobody wants the rest of its stream. */
  abort(reason: unknown): void {
    this.#controllerOf().abort(reason)
  }

  /** Made when it is asked for: work that does not listen does not pay for it. */
  get signal(): AbortSignal {
    return this.#controllerOf().signal
  }

  observed(seen: unknown): void {
    this.#settings.permit?.observed?.(seen)
  }

  #controllerOf(): AbortController {
    this.#controller ??= new AbortController()
    return this.#controller
  }

  charge({ usd, tokens }: { usd?: number; tokens?: number }): void {
    if (tokens !== undefined) this.tokens = (this.tokens ?? 0) + checked('tokens', tokens)
    if (usd === undefined) return
    this.costUsd = (this.costUsd ?? 0) + checked('usd', usd)
    this.#settings.budget.charge(usd)
    if (!this.#settings.budget.isOverspent) return
    if (this.#resolve) this.#stop('overspent', overspentError())
    else this.onOverspent?.(overspentError())
  }
}

/** What a context needs of its try. */
interface Running extends Pick<CallContext, 'signal' | 'charge' | 'observed'> {
  isCommitted: boolean
}

/** One is made for every try, and few ask for all of it: what needs a function or a signal is made when it is asked for. */
class TryContext implements CallContext {
  readonly provider: string | undefined
  readonly attempt: number
  readonly remainingMs: number
  readonly resume: Resume | undefined
  readonly #try: Running

  constructor(of: Running, { provider, attempt, remainingMs, resume }: TrySettings) {
    this.#try = of
    this.provider = provider
    this.attempt = attempt
    this.remainingMs = remainingMs
    this.resume = resume
  }

  get signal(): AbortSignal {
    return this.#try.signal
  }

  get charge(): CallContext['charge'] {
    return spent => this.#try.charge(spent)
  }

  get observed(): CallContext['observed'] {
    return seen => this.#try.observed(seen)
  }

  get committed(): CallContext['committed'] {
    return () => {
      this.#try.isCommitted = true
    }
  }
}

function checked(what: string, amount: number): number {
  if (typeof amount === 'number' && amount >= 0 && amount < Infinity) return amount
  throw new WrongArgument(`charge: ${what} must be a number, 0 or more, not ${amount}`)
}

function overspentError(): Error {
  return Object.assign(new Error('the call costs more than it may'), { name: OVERSPENT })
}

export function timeoutError(ms: number): Error {
  return Object.assign(new Error(`timed out after ${Math.round(ms)} ms`), { name: 'TimeoutError' })
}
