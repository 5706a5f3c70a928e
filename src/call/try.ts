import type { Failure } from '../failure/failure.ts'
import type { Cost, Permit } from '../provider/gate.ts'
import type { Attempt } from './attempt/attempt.ts'
import { Invocation } from './attempt/invocation.ts'
import { type Outcome, overspentError } from './attempt/outcome.ts'
import { type Spending, Tally } from './attempt/tally.ts'
import type { Budget } from './budget.ts'
import type { CallDeps } from './call-deps.ts'

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
  /** Reports what was spent; amounts add up over all tries. */
  charge(spent: Spending): void
  /**
   * Shows what the provider says about its limits while it serves: a response or its headers, an event of an agent
   * CLI, the end of a program, or the failure of a limit that it got over. What the work returns is read anyway.
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

const NOTHING_SPENT: Cost = { costUsd: null, tokens: null }

/** One try of a call: its work with its context, and what that tells while it runs. */
export class Try<T> {
  /** The record of it. */
  readonly attempt: Attempt
  readonly permit: Permit | undefined
  /** Milliseconds from the start of the call to the start of the try. */
  readonly startedMs: number
  isCommitted = false
  /** Told of a cost that is too high when the work has returned, and its stream goes on. */
  onOverspent: ((error: Error) => void) | undefined
  readonly #budget: Budget
  readonly #context: TryContext
  readonly #invocation: Invocation<T>
  #tally: Tally | undefined

  constructor(
    { options, time, budget }: CallDeps,
    attempt: Attempt,
    permit: Permit | undefined,
    resume: Resume | undefined,
    startedMs: number,
    remainingMs: number,
  ) {
    this.attempt = attempt
    this.permit = permit
    this.startedMs = startedMs
    this.#budget = budget
    this.#context = new TryContext(this, attempt, remainingMs, resume)
    const { attemptTimeoutMs = Infinity, graceMs = 0, signal } = options
    const limitMs = Math.min(attemptTimeoutMs, remainingMs)
    this.#invocation = new Invocation({ time, limitMs, signal, graceMs })
  }

  run(work: CallFunction<T>): Promise<Outcome<T>> {
    return this.#invocation.run(work, this.#context)
  }

  /** False if the caller's abort came first. */
  get isBegun(): boolean {
    return this.#invocation.isBegun
  }

  get signal(): AbortSignal {
    return this.#invocation.signal
  }

  /** What the work has reported as spent so far. */
  get spent(): Cost {
    return this.#tally ?? NOTHING_SPENT
  }

  /** Tells the work, which has returned, that the rest of its stream is not wanted. */
  abort(reason: unknown): void {
    this.#invocation.abort(reason)
  }

  observed(seen: unknown): void {
    this.permit?.observed?.(seen)
  }

  charge(spent: Spending): void {
    this.#tally ??= new Tally()
    this.#tally.add(spent)
    if (spent.usd === undefined) return
    this.#budget.charge(spent.usd)
    if (!this.#budget.isOverspent) return
    const error = overspentError()
    if (!this.#invocation.stop('overspent', error)) this.onOverspent?.(error)
  }
}

/** What a context needs of its try. */
interface Running extends Pick<CallContext, 'signal' | 'charge' | 'observed'> {
  isCommitted: boolean
}

/** Made for every try, and rarely used in full: functions and signals are created on first use. */
class TryContext implements CallContext {
  readonly provider: string | undefined
  readonly attempt: number
  readonly remainingMs: number
  readonly resume: Resume | undefined
  readonly #try: Running

  constructor(of: Running, { provider, number }: Attempt, remainingMs: number, resume: Resume | undefined) {
    this.#try = of
    this.provider = provider
    this.attempt = number
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
