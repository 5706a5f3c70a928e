import type { Capability } from '../../capability/capability.ts'
import { secondTryCircumstances } from '../../capability/retry-policy.ts'
import type { Failure } from '../../failure/failure.ts'
import type { Outlook, Permit } from '../../provider/gate.ts'
import type { Circumstances } from '../../verdict/circumstances.ts'
import { answerTo, decide, healthOf } from '../../verdict/decide.ts'
import { durationInWords } from '../../verdict/duration-words.ts'
import type { HealthMark, PolicyAnswer } from '../../verdict/policy.ts'
import { isSucceeded } from '../../verdict/succeeded.ts'
import { hasTimeToTryAgain, mayStartOver, retryMode } from '../../verdict/try-again.ts'
import type { CancelReason, Verdict } from '../../verdict/verdict.ts'
import { retryBounds } from '../bounds.ts'
import type { QueueDeps } from '../queue-deps.ts'
import type { Counters } from './counters.ts'

/** A retry needs more than this to be left of its time, or a tenth of that time if that is less. */
const MIN_RETRY_BUDGET_MS = 30_000

const NOBODY_ELSE: Outlook = { otherProviderAvailable: false }

/** Asks the policies on behalf of one operation, and keeps every answer within its bounds. */
export class DurableJudge {
  readonly #deps: QueueDeps
  readonly #capability: Capability
  readonly #counters: Counters

  constructor(deps: QueueDeps, capability: Capability, counters: Counters) {
    this.#deps = deps
    this.#capability = capability
    this.#counters = counters
  }

  /**
   * What the failure means for the provider it happened with.
   * @param standing what that provider has done so far
   */
  health(failure: Failure, standing?: ReturnType<NonNullable<Permit['standing']>>): HealthMark {
    const policies = this.#policies(failure)
    return healthOf(failure, { ...this.circumstances(), ...standing }, policies, this.#report)
  }

  verdict(failure: Failure, outlook: Outlook = NOBODY_ELSE): Verdict {
    const circumstances = this.circumstances(outlook)
    const verdict = decide(failure, circumstances, this.#policies(failure), this.#report)
    return this.bounded(verdict, failure, circumstances)
  }

  /** The same, where a policy may also answer that the try has succeeded after all. */
  answer(failure: Failure, outlook: Outlook = NOBODY_ELSE): PolicyAnswer {
    const circumstances = this.circumstances(outlook)
    const answer = answerTo(failure, circumstances, this.#policies(failure), this.#report)
    return isSucceeded(answer) ? answer : this.bounded(answer, failure, circumstances)
  }

  /** The verdict where nobody admitted: no try was made, so nothing is counted and no bound is reached by it. */
  unadmitted(failure: Failure, outlook: Outlook): Verdict {
    const circumstances = this.circumstances(outlook)
    return decide(
      failure,
      { ...circumstances, retries: 0, maxRetries: Infinity, snoozes: 0, remainingMs: Infinity },
      this.#policies(failure),
      this.#report,
    )
  }

  circumstances({ otherProviderAvailable, availableAt }: Outlook = NOBODY_ELSE): Circumstances {
    const { time, random, settings } = this.#deps
    const { maxRetries, isAsked, backoff, retryForMs } = retryBounds(
      this.#counters,
      this.#capability,
      settings,
    )
    const { retries, waits, snoozes, retryingMs } = this.#counters
    return {
      durable: true,
      now: time.now(),
      random: random(),
      retries,
      maxRetries,
      retriesAsked: isAsked,
      waits,
      backoff,
      snoozes,
      maxSnoozes: settings.maxSnoozes,
      remainingMs: Math.max(0, retryForMs - retryingMs),
      minRetryBudgetMs: Math.min(MIN_RETRY_BUDGET_MS, retryForMs / 10),
      ...secondTryCircumstances(this.#capability),
      otherProviderAvailable,
      ...(availableAt === undefined ? {} : { availableAt }),
    }
  }

  /** What holds for every policy and hook, ours or the user's. */
  bounded(verdict: Verdict, failure: Failure | undefined, circumstances: Circumstances): Verdict {
    const bound = this.#boundOf(verdict, failure, circumstances)
    if (!bound) return verdict
    const what = failure ? `${failure.kind}: ` : ''
    return { action: 'cancel', as: bound.as, reason: `${what}${bound.why}`, rule: `queue:${bound.as}` }
  }

  #boundOf(
    verdict: Verdict,
    failure: Failure | undefined,
    circumstances: Circumstances,
  ): { as: CancelReason; why: string } | undefined {
    if (verdict.action === 'park' || verdict.action === 'cancel') return undefined
    if (!isSafe(verdict, failure, circumstances))
      return {
        as: 'unverifiable',
        why: 'it may already have taken effect, and can be neither resumed nor verified',
      }
    const { now, retries, maxRetries, snoozes, maxSnoozes, remainingMs } = circumstances
    switch (verdict.action) {
      case 'failover':
        return circumstances.otherProviderAvailable
          ? undefined
          : { as: 'exhausted', why: 'no provider is left that could take it' }
      case 'retry':
        if (retries >= maxRetries) return { as: 'exhausted', why: `retry limit reached (${maxRetries})` }
        return hasTimeToTryAgain(circumstances) && verdict.delayMs < remainingMs
          ? undefined
          : { as: 'expired', why: 'the time for retries is used up' }
      case 'snooze': {
        if (snoozes >= maxSnoozes) return { as: 'exhausted', why: `it has waited ${snoozes} times already` }
        const waitedMs = this.#counters.snoozedMs + (verdict.until - now)
        const { maxWaitMs } = this.#deps.settings
        return waitedMs <= maxWaitMs
          ? undefined
          : { as: 'expired', why: `it would wait longer than ${durationInWords(maxWaitMs)} altogether` }
      }
    }
  }

  #policies(failure: Failure) {
    return this.#deps.policies(this.#capability, failure.provider)
  }

  readonly #report = (problem: Parameters<NonNullable<Parameters<typeof decide>[3]>>[0]) =>
    this.#deps.report({ about: 'policy', problem })
}

/** What may already have been done must not be done twice: resume it, verify it, or leave it. */
function isSafe(
  verdict: Extract<Verdict, { action: 'retry' | 'snooze' | 'failover' }>,
  failure: Failure | undefined,
  circumstances: Circumstances,
): boolean {
  if (mayStartOver(failure?.effect ?? 'maybe', circumstances)) return true
  if (verdict.action === 'failover' || verdict.mode !== 'resume') return false
  // Of a result only the history knows the session; without one, the next run does not begin.
  return failure ? retryMode(failure, circumstances) === 'resume' : circumstances.resumable
}
