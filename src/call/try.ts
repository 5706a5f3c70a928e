import type { Failure } from '../failure/failure.ts'
import type { Used } from '../failure/stream/usage.ts'
import type { Choice, Cost, Permit } from '../provider/gate.ts'
import type { Attempt } from './attempt/attempt.ts'
import { Invocation } from './attempt/invocation.ts'
import { isOverspent, type Outcome, Overtaken, overspentError, PAID_GRACE_MS } from './attempt/outcome.ts'
import { type Spending, Tally } from './attempt/tally.ts'
import { putOnBill } from './bill.ts'
import type { CallDeps } from './call-deps.ts'
import type { CallContext, CallFunction, Resume } from './context.ts'
import { priceOf } from './price.ts'
import { onWire, Wire } from './stream/wire.ts'
import { warnOfUnknownCost } from './warn.ts'

const NOTHING_SPENT: Cost = { costUsd: null, tokens: null }
const NONE_PASSED_OVER: Choice['passedOver'] = []

/** One try of a call: its work with its context, and what the work reports while it runs. */
export class Try<T> {
  /** The record of the try. */
  readonly attempt: Attempt
  readonly permit: Permit | undefined
  /** Milliseconds from the start of the call to the start of the try. */
  readonly startedMs: number
  isCommitted = false
  /** What comes over HTTP for its work. */
  readonly wire = new Wire()
  /** Called if the cost limit is exceeded after the work has returned, while its stream is still being read. */
  onOverspent: ((error: Error) => void) | undefined
  readonly #deps: CallDeps
  readonly #context: TryContext
  readonly #invocation: Invocation<T>
  #tally: Tally | undefined

  /**
   * Records that the try begins. Does not run its work.
   * @param startedMs milliseconds since the call began
   * @param remainingMs milliseconds left of the budget
   */
  constructor(
    deps: CallDeps,
    choice: Extract<Choice, { permit: Permit }> | undefined,
    resume: Resume | undefined,
    startedMs: number,
    remainingMs: number,
  ) {
    const { options, time, log, events } = deps
    const permit = choice?.permit
    const attempt = log.begin(permit?.provider, time.now())
    events?.started(attempt, remainingMs, choice?.passedOver ?? NONE_PASSED_OVER)
    this.attempt = attempt
    this.permit = permit
    this.startedMs = startedMs
    this.#deps = deps
    this.#context = new TryContext(this, attempt, deps.modelAt(attempt.provider), remainingMs, resume)
    const { attemptTimeoutMs = Infinity, firstChunkMs = Infinity, graceMs = 0, signal } = options
    // Work that has not even returned its stream by then cannot deliver the first chunk in time.
    const limitMs = Math.min(attemptTimeoutMs, firstChunkMs, remainingMs)
    // What exceeds the cost limit is paid for: it may still return. An answer does not wait for the slower one.
    const grace = (reason: unknown) =>
      isOverspent(reason) ? Math.max(graceMs, PAID_GRACE_MS) : reason instanceof Overtaken ? 0 : graceMs
    this.#invocation = new Invocation({ time, limitMs, signal, graceMs: grace })
  }

  run(work: CallFunction<T>): Promise<Outcome<T>> {
    const run = () => this.#invocation.run(work, this.#context)
    return this.#deps.options.softFailures === false ? run() : onWire(this.wire, run)
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

  /** Records how long the try has taken so far, and what it has cost. */
  note(): void {
    const { attempt, spent } = this
    attempt.durationMs = this.#deps.budget.elapsedMs - this.startedMs
    attempt.costUsd = spent.costUsd
    attempt.tokens = spent.tokens
  }

  /** Tells work that has returned that the rest of its stream is not wanted. */
  abort(reason: unknown): void {
    this.#invocation.abort(reason)
  }

  committed(): void {
    this.isCommitted = true
    this.#deps.race?.onCommitted()
  }

  observed(seen: unknown): void {
    this.permit?.observed?.(seen)
  }

  /** The failure may know of a cost that the work did not report: an agent's run, or a call within it. */
  spentAtLeast({ costUsd = 0 }: Pick<Failure, 'costUsd'>): void {
    const unreported = costUsd - (this.spent.costUsd ?? 0)
    if (unreported <= 0) return
    this.charge({ usd: unreported })
    this.note()
  }

  /** Notes what an answer says that it used, and what that costs, unless the work reported it. */
  used({ usage, model }: Used): void {
    const { attempt } = this
    const { budget, options } = this.#deps
    const asked = model ?? this.#deps.modelAt(attempt.provider)
    if (asked !== undefined) attempt.model = asked
    if (usage && this.#tally === undefined) {
      attempt.usage = usage
      const usd =
        options.prices && priceOf(options.prices, { provider: attempt.provider, model: asked, usage })
      this.#tally = new Tally()
      this.#tally.add({ usd, tokens: usage.inputTokens + usage.outputTokens })
      // The answer is here: the limit stops what comes next.
      if (usd !== undefined) budget.charge(usd)
    }
    if (budget.maxCostUsd !== Infinity && this.spent.costUsd === null) warnOfUnknownCost()
  }

  /** The try is over, and all is known of what it used. */
  billed(): void {
    const { bill, sticky } = this.#deps.options
    if (bill) putOnBill(bill, this.attempt, sticky)
  }

  charge(spent: Spending): void {
    this.#tally ??= new Tally()
    this.#tally.add(spent)
    if (spent.usd === undefined) return
    const { budget } = this.#deps
    budget.charge(spent.usd)
    if (!budget.isOverspent) return
    const error = overspentError()
    if (!this.#invocation.stop('overspent', error)) this.onOverspent?.(error)
  }
}

/** What a context needs from its try. */
type Running = Pick<CallContext, 'signal' | 'charge' | 'observed' | 'committed'>

/** Made for every try but rarely used in full, so functions and signals are created on access. */
class TryContext implements CallContext {
  readonly provider: string | undefined
  readonly model: string | undefined
  readonly attempt: number
  readonly remainingMs: number
  readonly resume: Resume | undefined
  readonly #try: Running

  constructor(
    of: Running,
    { provider, number }: Attempt,
    model: string | undefined,
    remainingMs: number,
    resume: Resume | undefined,
  ) {
    this.model = model
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
    return () => this.#try.committed()
  }
}
