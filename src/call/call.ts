import { classify, type Failure } from '../failure/index.ts'
import { type Choice, type Gate, MemoryGate, type Outlook, type Permit } from '../provider/index.ts'
import { realTime, sleep, type Time } from '../time/index.ts'
import { type Circumstances, decide, healthOf, inWords, type Verdict } from '../verdict/index.ts'
import type { Attempt } from './attempt.ts'
import { Budget } from './budget.ts'
import { CallFailed } from './call-failed.ts'
import { Emitter } from './emitter.ts'
import {
  type CallOptions,
  checkOptions,
  LONGEST_WAIT_WITHOUT_BUDGET_MS,
  MAX_RETRIES_DEFAULT,
  MIN_RETRY_BUDGET_DEFAULT_MS,
} from './options.ts'
import { type CallFunction, Try, type TryOutcome } from './try.ts'
import { warnOfPolicy } from './warn.ts'

/** What a call that succeeded gives. */
export interface CallResult<T> {
  value: T
  /** Every try, the one that succeeded last. */
  attempts: readonly Attempt[]
  provider?: string
  /** What all tries cost together; null where nobody said. */
  costUsd: number | null
}

const NOBODY_ELSE: Outlook = { otherProviderAvailable: false }

/** Health of this process, for calls that bring none of their own. */
const processGate = new MemoryGate(realTime)

/**
 * Runs work until it succeeds or one answer is final, within one budget: retries, waits, and the next provider of
 * the pool, as the policy says. Resolves with the value and every try, or rejects with {@link CallFailed}.
 */
export function call<T>(work: CallFunction<T>, options: CallOptions = {}): Promise<CallResult<T>> {
  try {
    checkOptions(options)
  } catch (error) {
    return Promise.reject(error)
  }
  return new Call(work, options).run()
}

/** What became of a failed try: another one follows, or the call is over. */
type Next = { again: string | undefined } | { elsewhere: Failure } | { over: CallFailed }

class Call<T> {
  readonly #work: CallFunction<T>
  readonly #options: CallOptions
  readonly #time: Time
  readonly #gate: Gate
  readonly #pool: readonly string[]
  readonly #budget: Budget
  readonly #emitter: Emitter
  readonly #attempts: Attempt[] = []
  readonly #tried = new Set<string>()
  #retries = 0
  #committed = false
  #lastCause: unknown

  constructor(work: CallFunction<T>, options: CallOptions) {
    this.#work = work
    this.#options = options
    this.#time = options.time ?? realTime
    this.#gate = options.gate ?? (options.time ? new MemoryGate(options.time) : processGate)
    this.#pool = options.pool ?? (options.provider === undefined ? [] : [options.provider])
    this.#budget = new Budget(this.#time, {
      budgetMs: options.budgetMs ?? Infinity,
      maxCostUsd: options.maxCostUsd ?? Infinity,
      minRetryBudgetMs: options.minRetryBudgetMs,
      minRetryDefaultMs: MIN_RETRY_BUDGET_DEFAULT_MS,
    })
    this.#emitter = new Emitter(options, this.#time)
  }

  async run(): Promise<CallResult<T>> {
    let again: string | undefined
    let after: Failure | undefined
    for (;;) {
      const refusal = this.#refusedBefore()
      if (refusal) throw this.#over(refusal)
      let permit: Permit | undefined
      let passedOver: Choice['passedOver'] = []
      if (this.#pool.length > 0) {
        const chosen = this.#gate.choose({
          pool: this.#pool,
          model: this.#options.model,
          tried: this.#tried,
          again,
          after,
        })
        const choice = chosen instanceof Promise ? await chosen : chosen
        if (!choice.permit) {
          const next = await this.#afterRefusal(choice.failure, choice.availableAt)
          if ('over' in next) throw next.over
          continue
        }
        permit = choice.permit
        passedOver = choice.passedOver
        if (after) this.#emitter.failedOver(this.#attempts.at(-1)?.provider, permit.provider, after)
      }
      const startedMs = this.#budget.elapsedMs
      const attempt = this.#begin(permit?.provider, passedOver)
      const running = new Try<T>({
        time: this.#time,
        budget: this.#budget,
        provider: permit?.provider,
        attempt: attempt.number,
        limitMs: Math.min(this.#options.attemptTimeoutMs ?? Infinity, this.#budget.remainingMs),
        signal: this.#options.signal,
      })
      const outcome = await running.run(this.#work)
      attempt.durationMs = this.#budget.elapsedMs - startedMs
      attempt.costUsd = running.costUsd
      attempt.tokens = running.tokens
      this.#committed ||= running.isCommitted
      const failure = this.#failureOf(outcome, permit?.provider)
      if (!failure) {
        permit?.succeeded()
        return this.#succeeded((outcome as { value: T }).value, permit?.provider)
      }
      const next = await this.#afterFailure(failure, attempt, permit)
      if ('over' in next) throw next.over
      again = 'again' in next ? next.again : undefined
      after = 'elsewhere' in next ? next.elsewhere : undefined
    }
  }

  /** Reasons not to begin a try at all. */
  #refusedBefore(): Failure | undefined {
    if (this.#options.signal?.aborted) {
      this.#lastCause = this.#options.signal.reason
      return this.#classified(this.#lastCause, { aborted: true })
    }
    if (this.#attempts.length > 0 && this.#budget.isSpent)
      return this.#classified(undefined, { rail: 'max_budget' })
    return undefined
  }

  #begin(provider: string | undefined, passedOver: Choice['passedOver']): Attempt {
    const number = this.#attempts.length + 1
    const attempt: Attempt = {
      number,
      startedAt: this.#time.now(),
      durationMs: 0,
      costUsd: null,
      tokens: null,
    }
    if (provider !== undefined) attempt.provider = provider
    this.#attempts.push(attempt)
    this.#emitter.attemptStarted(attempt, this.#budget.remainingMs, passedOver)
    return attempt
  }

  /** The failure of a try, or undefined if it succeeded. */
  #failureOf(outcome: TryOutcome<T>, provider: string | undefined): Failure | undefined {
    switch (outcome.ended) {
      case 'returned': {
        if (this.#options.softFailures === false) return undefined
        const failure = classify(outcome.value, { ...this.#context(provider), returned: true })
        if (failure) this.#lastCause = outcome.value
        return failure ? this.#withCommit(failure) : undefined
      }
      case 'threw':
        this.#lastCause = outcome.error
        return this.#withCommit(this.#classified(outcome.error, {}, provider))
      case 'timedOut':
        this.#lastCause = undefined
        return this.#classified(undefined, { timedOut: true }, provider)
      case 'aborted':
        this.#lastCause = outcome.reason
        return this.#classified(outcome.reason, { aborted: true }, provider)
      case 'overspent':
        this.#lastCause = undefined
        return this.#classified(undefined, { rail: 'max_budget' }, provider)
    }
  }

  #classified(
    input: unknown,
    own: NonNullable<Parameters<typeof classify>[1]>['own'],
    provider?: string,
  ): Failure {
    // Without `returned`, everything that is asked about is a failure; what is thrown may look like a success.
    return (
      classify(input, { ...this.#context(provider), own }) ??
      (classify(new Error('it threw what looks like a success'), this.#context(provider)) as Failure)
    )
  }

  #context(provider: string | undefined) {
    return { ...this.#options.classify, provider, model: this.#options.model, now: this.#time.now() }
  }

  /** What was delivered cannot be taken back. */
  #withCommit(failure: Failure): Failure {
    return this.#committed && failure.effect === 'none' ? { ...failure, effect: 'maybe' } : failure
  }

  async #afterFailure(failure: Failure, attempt: Attempt, permit: Permit | undefined): Promise<Next> {
    if (permit) {
      this.#tried.add(permit.provider)
      const isOurs = failure.class === 'aborted' || failure.class === 'rail'
      const mark = healthOf(failure, this.#circumstances(false), this.#options.policy, this.#report)
      if (isOurs) permit.released()
      else permit.failed(failure, mark)
    }
    const asked = permit
      ? this.#gate.outlook({
          pool: this.#pool,
          model: this.#options.model,
          tried: this.#tried,
          after: failure,
        })
      : NOBODY_ELSE
    const outlook = asked instanceof Promise ? await asked : asked
    const verdict = this.#decided(
      failure,
      this.#circumstances(outlook.otherProviderAvailable, outlook.availableAt),
      permit?.provider,
    )
    attempt.failure = failure
    attempt.verdict = verdict
    this.#emitter.attemptFailed(attempt, failure, verdict)
    if (verdict.action === 'failover') return { elsewhere: failure }
    if (verdict.action !== 'retry') return { over: this.#failed(failure, verdict) }
    this.#retries++
    const aborted = await this.#wait(verdict)
    return aborted ?? { again: permit?.provider }
  }

  /** Nobody admitted: no try was made and none counts. Waiting for the block to end is all there is to do. */
  async #afterRefusal(failure: Failure, availableAt: number | undefined): Promise<Next> {
    const verdict = this.#decided(failure, this.#circumstances(false, availableAt), undefined)
    if (verdict.action !== 'retry') return { over: this.#failed(failure, verdict) }
    return (await this.#wait(verdict)) ?? { again: undefined }
  }

  /** The policy's word, unless it asks for a retry that waits too long or that the provider's bucket refuses. */
  #decided(failure: Failure, circumstances: Circumstances, provider: string | undefined): Verdict {
    const verdict = decide(failure, circumstances, this.#options.policy, this.#report)
    if (verdict.action !== 'retry') return verdict
    const longestMs = this.#options.budgetMs === undefined ? LONGEST_WAIT_WITHOUT_BUDGET_MS : Infinity
    if (verdict.delayMs > longestMs) {
      const why = `a call without a budget waits at most ${inWords(longestMs)}`
      return this.#without(failure, { ...circumstances, remainingMs: longestMs }, why)
    }
    if (provider === undefined || this.#gate.mayRetry(provider)) return verdict
    return this.#without(
      failure,
      { ...circumstances, maxRetries: circumstances.retries },
      `most calls to ${provider} fail, so none is retried now`,
    )
  }

  /** The policy's word in circumstances that leave no room for a retry. */
  #without(failure: Failure, circumstances: Circumstances, why: string): Verdict {
    const verdict = decide(failure, circumstances, this.#options.policy, this.#report)
    if (verdict.action !== 'retry') return { ...verdict, reason: `${verdict.reason}; ${why}` }
    return { action: 'cancel', as: 'exhausted', reason: `${failure.kind}: ${why}`, rule: 'call:no_retry' }
  }

  async #wait({ delayMs, reason }: Extract<Verdict, { action: 'retry' }>): Promise<Next | undefined> {
    this.#emitter.waiting(delayMs, reason)
    try {
      await sleep(this.#time, delayMs, this.#options.signal)
      return undefined
    } catch (cause) {
      this.#lastCause = cause
      const failure = this.#classified(cause, { aborted: true })
      return { over: this.#over(failure) }
    }
  }

  #circumstances(otherProviderAvailable: boolean, availableAt?: number): Circumstances {
    const { maxRetries, backoff, repeatable } = this.#options
    return {
      durable: false,
      now: this.#time.now(),
      random: (this.#options.random ?? Math.random)(),
      retries: this.#retries,
      maxRetries: maxRetries ?? MAX_RETRIES_DEFAULT,
      retriesAsked: maxRetries !== undefined,
      backoff: backoff ?? 'fullJitter',
      snoozes: 0,
      maxSnoozes: Infinity,
      remainingMs: this.#budget.remainingMs,
      minRetryBudgetMs: this.#budget.minRetryMs,
      repeatable: repeatable ?? !this.#committed,
      resumable: false,
      verifiable: false,
      otherProviderAvailable,
      ...(availableAt === undefined ? {} : { availableAt }),
    }
  }

  readonly #report: typeof warnOfPolicy = problem => (this.#options.onPolicyProblem ?? warnOfPolicy)(problem)

  #over(failure: Failure): CallFailed {
    return this.#failed(
      failure,
      decide(failure, this.#circumstances(false), this.#options.policy, this.#report),
    )
  }

  #failed(failure: Failure, verdict: Verdict): CallFailed {
    const error = new CallFailed(
      { failure, verdict, attempts: this.#attempts, costUsd: this.#budget.costUsd },
      this.#lastCause,
    )
    this.#emitter.failed(error, this.#attempts.at(-1)?.provider, this.#budget.elapsedMs)
    return error
  }

  #succeeded(value: T, provider: string | undefined): CallResult<T> {
    const costUsd = this.#budget.costUsd
    this.#emitter.succeeded(this.#attempts.length, provider, this.#budget.elapsedMs, costUsd)
    return provider === undefined
      ? { value, attempts: this.#attempts, costUsd }
      : { value, attempts: this.#attempts, provider, costUsd }
  }
}
