import { Judge } from '../../call/attempt/judge.ts'
import { Budget } from '../../call/budget.ts'
import { CallCircumstances } from '../../call/circumstances.ts'
import { MAX_RETRIES_DEFAULT } from '../../call/options.ts'
import type { Capability } from '../../capability/capability.ts'
import { secondTryCircumstances } from '../../capability/retry-policy.ts'
import type { Failure } from '../../failure/failure.ts'
import type { QueueDeps } from '../queue-deps.ts'
import { type Counters, retryBounds } from './judge.ts'

/** The tries that the caller of `run` waits for: judged like those of a call, within one short budget. */
export class InProcess {
  /** Decides on the tries that the caller waits for. */
  readonly judge: Judge
  readonly #call: CallCircumstances
  readonly #budget: Budget
  readonly #mostRetries: number
  /** Time left for waits between tries, in milliseconds. */
  #waitHereMs: number

  constructor(
    deps: QueueDeps,
    capability: Capability,
    counters: Counters,
    { budgetMs, waitHereMs = Infinity }: { budgetMs: number; waitHereMs?: number | undefined },
    signal: AbortSignal,
  ) {
    const { time, random, settings } = deps
    const { maxRetries, isAsked } = retryBounds(counters, capability, settings)
    const { verifiable, ...secondTry } = secondTryCircumstances(capability)
    const here = Math.min(MAX_RETRIES_DEFAULT, maxRetries)
    const asked = isAsked ? { maxRetries: here } : {}
    this.#mostRetries = here
    this.#waitHereMs = waitHereMs
    this.#budget = new Budget(time, { budgetMs })
    this.#call = new CallCircumstances({ budgetMs, ...asked, ...secondTry, random }, time, this.#budget)
    this.judge = new Judge({
      rules: 'queue',
      policies: failure => deps.policies(capability, failure.provider),
      report: problem => deps.report({ about: 'policy', problem }),
      circumstances: outlook => ({ ...this.#call.circumstances(outlook), maxRetries: here, verifiable }),
      limits: () => ({
        isAborted: signal.aborted,
        longestWait: {
          ms: this.#waitHereMs,
          isIncluded: true,
          why: () => 'its caller does not wait that long',
        },
      }),
    })
  }

  get remainingMs(): number {
    return this.#budget.remainingMs
  }

  /** This one included. */
  get triesLeft(): number {
    return Math.max(0, this.#mostRetries - this.#call.retries) + 1
  }

  /** How long to wait for admission, in milliseconds; undefined if that is too long for this process. */
  waitForAdmission(failure: Failure, availableAt: number | undefined): number | undefined {
    const verdict = this.judge.verdict(failure, this.#call.unadmitted(availableAt))
    if (verdict.action !== 'retry') return undefined
    this.#call.admissionWaits++
    this.#waitHereMs -= verdict.delayMs
    return verdict.delayMs
  }

  /** Whether this process can make another try after this wait. */
  fits(delayMs: number): boolean {
    const { remainingMs, minRetryMs } = this.#budget
    return remainingMs > minRetryMs && delayMs < remainingMs && delayMs <= this.#waitHereMs
  }

  /** Whether this process can retry after this wait: a hook may ask for more retries than there are. */
  canRetry(delayMs: number): boolean {
    return this.#call.retries < this.#mostRetries && this.fits(delayMs)
  }

  /** Another try will follow here after this wait. */
  retried(delayMs: number): void {
    this.#call.retries++
    this.#waitHereMs -= delayMs
  }
}
