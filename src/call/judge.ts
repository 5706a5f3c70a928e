import type { Failure } from '../failure/failure.ts'
import type { Outlook, Permit } from '../provider/gate.ts'
import type { Time } from '../time/time.ts'
import type { Circumstances } from '../verdict/circumstances.ts'
import { answerTo, decide, healthOf } from '../verdict/decide.ts'
import { durationInWords } from '../verdict/duration-words.ts'
import type { HealthMark, PolicyAnswer } from '../verdict/policy.ts'
import { isSucceeded } from '../verdict/succeeded.ts'
import { hasTimeToTryAgain, mayStartOver, retryMode } from '../verdict/try-again.ts'
import type { CancelReason, Verdict } from '../verdict/verdict.ts'
import type { Budget } from './budget.ts'
import {
  type CallOptions,
  LONGEST_WAIT_WITHOUT_BUDGET_MS,
  MAX_ADMISSION_WAITS,
  MAX_RETRIES_DEFAULT,
} from './options.ts'
import { warnOfPolicy } from './warn.ts'

/** Why a second try is not made although the policy asked for it. */
interface Bound {
  as: CancelReason
  why: string
  /** Circumstances that tell the policy of it, where it may know another way. */
  instead?: Partial<Circumstances>
}

/** What a judge needs of a call; who can ask whether work took effect may begin it again then. */
export type JudgeOptions = CallOptions & { verifiable?: boolean }

/** Asks the policy on behalf of one call, and keeps its answers within the bounds of that call. */
export class Judge {
  /** Tries begun by a retry verdict. */
  retries = 0
  /** Times that nobody admitted and the call waited for somebody who would. */
  admissionWaits = 0
  /** Output was delivered: a second try would deliver it twice. */
  isCommitted = false
  readonly #options: JudgeOptions
  readonly #time: Time
  readonly #budget: Budget

  constructor(options: JudgeOptions, time: Time, budget: Budget) {
    this.#options = options
    this.#time = time
    this.#budget = budget
  }

  /** @param standing what the provider has done so far */
  health(failure: Failure, standing?: ReturnType<NonNullable<Permit['standing']>>): HealthMark {
    return healthOf(failure, { ...this.#circumstances(), ...standing }, this.#options.policy, this.#report)
  }

  /**
   * The verdict on a failed try.
   * @param mayRetry asked last, and only for a retry: the provider's bucket, whose tokens are taken by asking
   */
  verdict(failure: Failure, outlook?: Outlook, mayRetry?: () => string | undefined): Verdict {
    return this.#verdict(failure, this.#circumstances(outlook), mayRetry)
  }

  /** The same, where a policy may also answer that the try has succeeded after all. */
  answer(failure: Failure, outlook?: Outlook, mayRetry?: () => string | undefined): PolicyAnswer {
    const circumstances = this.#circumstances(outlook)
    const answer = answerTo(failure, circumstances, this.#options.policy, this.#report)
    return isSucceeded(answer) ? answer : this.#bounded(answer, failure, circumstances, mayRetry)
  }

  /** The verdict on a try that nobody admitted. */
  unadmitted(failure: Failure, outlook: Outlook): Verdict {
    return this.#verdict(failure, this.#circumstances(outlook, true))
  }

  #verdict(failure: Failure, circumstances: Circumstances, mayRetry?: () => string | undefined): Verdict {
    const verdict = decide(failure, circumstances, this.#options.policy, this.#report)
    return this.#bounded(verdict, failure, circumstances, mayRetry)
  }

  #bounded(
    verdict: Verdict,
    failure: Failure,
    circumstances: Circumstances,
    mayRetry: (() => string | undefined) | undefined,
  ): Verdict {
    if (verdict.action !== 'retry' && verdict.action !== 'failover') return verdict
    const bound =
      this.#boundOf(verdict, failure, circumstances) ?? this.#refusedBy(verdict, circumstances, mayRetry)
    return bound ? this.#within(bound, failure, circumstances) : verdict
  }

  /** What holds for every policy, ours or the user's. */
  #boundOf(verdict: Verdict, failure: Failure, circumstances: Circumstances): Bound | undefined {
    const { remainingMs, retries, maxRetries, otherProviderAvailable } = circumstances
    if (this.#options.signal?.aborted) return { as: 'cancelled', why: 'somebody cancelled it' }
    if (this.#budget.isSpent) return { as: 'stopped', why: 'all the money it may cost is spent' }
    if (wouldRepeat(verdict, failure, circumstances))
      return { as: 'unverifiable', why: 'it may already have taken effect, and must not be run twice' }
    if (!hasTimeToTryAgain(circumstances)) return { as: 'expired', why: 'too little of the budget is left' }
    if (verdict.action !== 'retry') {
      return otherProviderAvailable
        ? undefined
        : { as: 'exhausted', why: 'no provider is left that could take it' }
    }
    if (retries >= maxRetries) return { as: 'exhausted', why: 'retry limit reached' }
    const { budgetMs, longestWaitMs } = this.#options
    const usualMs = budgetMs === undefined ? LONGEST_WAIT_WITHOUT_BUDGET_MS : Infinity
    const longestMs = Math.min(longestWaitMs ?? usualMs, remainingMs)
    if (verdict.delayMs < longestMs) return undefined
    const why =
      longestMs === remainingMs
        ? 'the wait is longer than what is left of the budget'
        : `${longestWaitMs === undefined ? 'a call without a budget' : 'this call'} waits less than ${durationInWords(longestMs)}`
    return { as: 'expired', why, instead: { remainingMs: longestMs, maxRetries: retries } }
  }

  #refusedBy(
    { action }: Verdict,
    { retries }: Circumstances,
    mayRetry: (() => string | undefined) | undefined,
  ): Bound | undefined {
    const why = action === 'retry' ? mayRetry?.() : undefined
    return why === undefined ? undefined : { as: 'exhausted', why, instead: { maxRetries: retries } }
  }

  /** The policy's word once it knows of the bound; if it insists, the call ends here. */
  #within({ as, why, instead }: Bound, failure: Failure, circumstances: Circumstances): Verdict {
    const verdict =
      instead && decide(failure, { ...circumstances, ...instead }, this.#options.policy, this.#report)
    const isPossible =
      verdict &&
      verdict.action !== 'retry' &&
      (verdict.action !== 'failover' || circumstances.otherProviderAvailable)
    if (isPossible) return { ...verdict, reason: `${verdict.reason}; ${why}` }
    return { action: 'cancel', as, reason: `${failure.kind}: ${why}`, rule: `call:${as}` }
  }

  /** @param isUnadmitted no try was made: what is counted are the waits for somebody who admits */
  #circumstances(outlook?: Outlook, isUnadmitted = false): Circumstances {
    const { maxRetries, backoff, repeatable, resumable, verifiable, random = Math.random } = this.#options
    return {
      durable: false,
      now: this.#time.now(),
      random: random(),
      retries: isUnadmitted ? this.admissionWaits : this.retries,
      maxRetries: isUnadmitted ? MAX_ADMISSION_WAITS : (maxRetries ?? MAX_RETRIES_DEFAULT),
      retriesAsked: maxRetries !== undefined,
      backoff: backoff ?? 'fullJitter',
      snoozes: 0,
      maxSnoozes: Infinity,
      remainingMs: this.#budget.remainingMs,
      minRetryBudgetMs: this.#budget.minRetryMs,
      repeatable: repeatable ?? !this.isCommitted,
      resumable: resumable ?? false,
      verifiable: verifiable ?? false,
      otherProviderAvailable: outlook?.otherProviderAvailable ?? false,
      ...(outlook?.availableAt === undefined ? {} : { availableAt: outlook.availableAt }),
    }
  }

  readonly #report: typeof warnOfPolicy = problem => (this.#options.onPolicyProblem ?? warnOfPolicy)(problem)
}

/** Whether the verdict would run work a second time that may have taken effect and is not repeatable. */
function wouldRepeat(verdict: Verdict, failure: Failure, circumstances: Circumstances): boolean {
  if (mayStartOver(failure.effect, circumstances)) return false
  const continues = verdict.action === 'retry' && verdict.mode === 'resume'
  return !continues || retryMode(failure, circumstances) !== 'resume'
}
