import { Judge } from '../../call/attempt/judge.ts'
import { secondTryCircumstances } from '../../capability/retry-policy.ts'
import type { BackoffName } from '../../verdict/backoff.ts'
import type { Policies } from '../../verdict/decide.ts'
import type { PolicyProblem } from '../../verdict/policy.ts'
import type { RetryPolicy } from '../../verdict/retry-policy.ts'
import type { JobRecord } from './record.ts'

/** Limits on the tries of a job, independent of its engine's own. */
export interface JobBounds {
  /** Whether the work may run again after it may have taken effect. */
  retry: RetryPolicy
  /** Whether an interrupted session can be resumed. */
  resumable: boolean
  /** Most retries of a job. */
  maxRetries: number
  /** Whether the user set `maxRetries`. */
  isAsked: boolean
  /** How the waits between retries grow. */
  backoff: BackoffName
  /** Longest total wait for retries, in milliseconds. */
  retryForMs: number
  /** Most snoozes of a job. */
  maxSnoozes: number
  /** Longest total of all snoozes, in milliseconds. */
  maxWaitMs: number
}

/** Collaborators of {@link jobJudge}. */
export interface JobJudging {
  /** Policies for the failures of the work, most specific first. */
  policies: Policies | undefined
  /** How many retries the engine still allows. */
  retriesLeft(): number
  /** Epoch milliseconds. */
  now(): number
  /** In [0, 1), for jitter. */
  random(): number
  /** Called when a policy gives no usable answer. */
  report(problem: PolicyProblem): void
}

/** A retry needs more than this, or a tenth of `retryForMs` if that is less, to be left of its time. */
const MIN_RETRY_BUDGET_MS = 30_000

/**
 * The judge for a job, based on the counters in its record. It is the same judge as for calls and operations: no policy or
 * hook can exceed the bounds or bypass the rule about effects.
 */
export function jobJudge(bounds: JobBounds, record: JobRecord, judging: JobJudging): Judge {
  const { isAsked, backoff, retryForMs, maxSnoozes, maxWaitMs } = bounds
  const { retries, snoozes, snoozedMs, retryingMs } = record
  return new Judge({
    rules: 'job',
    policies: () => judging.policies,
    report: problem => judging.report(problem),
    limits: () => ({ snoozed: { ms: snoozedMs, mostMs: maxWaitMs } }),
    circumstances: outlook => ({
      durable: true,
      now: judging.now(),
      random: judging.random(),
      retries,
      maxRetries: Math.min(bounds.maxRetries, retries + judging.retriesLeft()),
      retriesAsked: isAsked,
      backoff,
      snoozes,
      maxSnoozes,
      remainingMs: Math.max(0, retryForMs - retryingMs),
      minRetryBudgetMs: Math.min(MIN_RETRY_BUDGET_MS, retryForMs / 10),
      ...secondTryCircumstances(bounds),
      ...outlook,
    }),
  })
}
