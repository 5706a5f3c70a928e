import type { Failure } from '../failure/failure.ts'
import { present } from '../failure/present.ts'
import type { Outlook } from '../provider/gate.ts'
import type { Time } from '../time/time.ts'
import type { Circumstances, Failover } from '../verdict/circumstances.ts'
import type { Policies } from '../verdict/decide.ts'
import { durationInWords } from '../verdict/duration-words.ts'
import type { Limits, LongestWait } from './attempt/bounds.ts'
import type { Judging } from './attempt/judge.ts'
import type { Budget } from './budget.ts'
import {
  type CallOptions,
  LONGEST_WAIT_WITHOUT_BUDGET_MS,
  MAX_ADMISSION_WAITS,
  MAX_RETRIES_DEFAULT,
} from './options.ts'
import { repeatableOf } from './second-try.ts'
import { warnOfPolicy } from './warn.ts'

/** A try that fails sooner shows how quickly its provider can answer at best. In milliseconds. */
const QUICK_TRY_MS = 1_000

/** The current circumstances of a call: its options, its budget, and what it has done so far. */
export class CallCircumstances implements Judging {
  readonly rules = 'call'
  readonly report: Judging['report']
  /** Tries begun by a retry verdict. */
  retries = 0
  /** How many times the call waited because no provider admitted it. */
  admissionWaits = 0
  /** True once output was delivered: a second try would deliver it twice. */
  isCommitted = false
  readonly #options: CallOptions
  readonly #time: Time
  readonly #budget: Budget
  readonly #failover: Failover | undefined
  #shortestTryMs = Infinity

  /** @param failover as the call or its pool says */
  constructor(options: CallOptions, time: Time, budget: Budget, failover?: Failover) {
    this.report = options.onPolicyProblem ?? warnOfPolicy
    this.#failover = failover
    this.#options = options
    this.#time = time
    this.#budget = budget
  }

  policies(): Policies | undefined {
    return this.#options.policy
  }

  circumstances(outlook: Outlook): Circumstances {
    const { maxRetries, backoff, resumable, random = Math.random } = this.#options
    return {
      durable: false,
      now: this.#time.now(),
      random: random(),
      retries: this.retries,
      maxRetries: maxRetries ?? MAX_RETRIES_DEFAULT,
      retriesAsked: maxRetries !== undefined,
      backoff: backoff ?? 'fullJitter',
      snoozes: 0,
      maxSnoozes: Infinity,
      remainingMs: this.#budget.remainingMs,
      minRetryBudgetMs: this.#budget.minRetryMs,
      repeatable: repeatableOf(this.#options) ?? !this.isCommitted,
      resumable: resumable ?? false,
      verifiable: false,
      ...present({ failover: this.#failover }),
      ...outlook,
    }
  }

  /** Circumstances when no provider admitted the call: no try was made, so waits are counted instead. */
  unadmitted(availableAt: number | undefined): Circumstances {
    const outlook = { otherProviderAvailable: false, ...present({ availableAt }) }
    return {
      ...this.circumstances(outlook),
      retries: this.admissionWaits,
      maxRetries: MAX_ADMISSION_WAITS,
    }
  }

  /** A failed try shows how long a try takes at least. One that timed out does not. */
  tried(durationMs: number, { class: cls }: Failure): void {
    if (cls !== 'timeout') this.#shortestTryMs = Math.min(this.#shortestTryMs, durationMs)
  }

  /** The time that another try needs to end: at least that of the shortest so far. Slow failures show little about an answer. */
  get #tryNeedsMs(): number {
    const shortestMs = this.#shortestTryMs
    if (shortestMs === Infinity) return 0
    return shortestMs <= QUICK_TRY_MS ? shortestMs : Math.min(QUICK_TRY_MS, this.#budget.minRetryMs / 2)
  }

  limits(): Limits {
    const { signal } = this.#options
    return {
      tryNeedsMs: this.#tryNeedsMs,
      isAborted: signal?.aborted === true,
      isSpent: this.#budget.isSpent,
      longestWait: longestWaitOf(this.#options),
    }
  }
}

function longestWaitOf({ longestWaitMs, budgetMs }: CallOptions): LongestWait {
  const usualMs = budgetMs === undefined ? LONGEST_WAIT_WITHOUT_BUDGET_MS : Infinity
  const ms = longestWaitMs ?? usualMs
  const who = longestWaitMs === undefined ? 'a call without a budget' : 'this call'
  return { ms, why: () => `${who} waits less than ${durationInWords(ms)}`, isAllTime: true }
}
