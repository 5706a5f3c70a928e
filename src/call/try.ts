import type { Failure } from '../failure/failure.ts'
import type { Permit } from '../provider/gate.ts'
import { Invocation, type InvocationSettings } from './attempt/invocation.ts'
import { type Outcome, overspentError } from './attempt/outcome.ts'
import { type Spending, Tally } from './attempt/tally.ts'
import type { Budget } from './budget.ts'

/** What the work is given for one try. */
export interface CallContext<P extends string | undefined = string | undefined> {
  /** Aborted when the try ends before the work does: its deadline, the budget, the caller, the cost. */
  readonly signal: AbortSignal
  /** Who is to serve this try: one of the names in `pool` or `provider` where they are literals; undefined without both. */
  readonly provider: P
  /** Counted from 1. */
  readonly attempt: number
  /** Milliseconds left of the budget, Infinity without one. */
  readonly remainingMs: number
  /** The session that this try continues, and the failure that it goes on after; undefined for a try from the start. */
  readonly resume: Resume | undefined
  /** Tells what was spent; amounts add up over all tries. */
  charge(spent: Spending): void
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

/** The names that were given; where they are not known to the compiler, any name or none. */
export type ProviderOf<P extends string> = string extends P ? string | undefined : P

/** The work of a call. */
export type CallFunction<T, P extends string | undefined = string | undefined> = (
  context: CallContext<P>,
) => T | Promise<T>

/** Settings of one try. */
export interface TrySettings extends InvocationSettings {
  budget: Budget
  provider: string | undefined
  permit: Permit | undefined
  attempt: number
  /** Milliseconds left of the budget. */
  remainingMs: number
  resume: Resume | undefined
}

/** One try of a call: its work with its context, and what that tells while it runs. */
export class Try<T> {
  isCommitted = false
  /** Told of a cost that is too high when the work has returned, and its stream goes on. */
  onOverspent: ((error: Error) => void) | undefined
  readonly tally = new Tally()
  readonly #settings: TrySettings
  readonly #invocation: Invocation<T>

  constructor(settings: TrySettings) {
    this.#settings = settings
    this.#invocation = new Invocation(settings)
  }

  run(work: CallFunction<T>): Promise<Outcome<T>> {
    return this.#invocation.run(work, new TryContext(this, this.#settings))
  }

  /** False if the caller's abort came first. */
  get isBegun(): boolean {
    return this.#invocation.isBegun
  }

  get signal(): AbortSignal {
    return this.#invocation.signal
  }

  /** Tells the work, which has returned, that the rest of its stream is not wanted. */
  abort(reason: unknown): void {
    this.#invocation.abort(reason)
  }

  observed(seen: unknown): void {
    this.#settings.permit?.observed?.(seen)
  }

  charge(spent: Spending): void {
    this.tally.add(spent)
    if (spent.usd === undefined) return
    const { budget } = this.#settings
    budget.charge(spent.usd)
    if (!budget.isOverspent) return
    const error = overspentError()
    if (!this.#invocation.stop('overspent', error)) this.onOverspent?.(error)
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
