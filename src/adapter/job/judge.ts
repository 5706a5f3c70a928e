import { Judge } from '../../call/attempt/judge.ts'
import type { RetryPolicy } from '../../capability/retry-policy.ts'
import { secondTryCircumstances } from '../../capability/retry-policy.ts'
import type { BackoffName } from '../../verdict/backoff.ts'
import type { Policies } from '../../verdict/decide.ts'
import type { PolicyProblem } from '../../verdict/policy.ts'
import type { JobRecord } from './record.ts'

/** What bounds the tries of a job, whatever its engine counts. */
export interface JobBounds {
  /** Whether the work may run a second time. */
  retry: RetryPolicy
  /** A session that was cut can be continued. */
  resumable: boolean
  /** Retries of a job. */
  maxRetries: number
  /** Whether `maxRetries` was set on purpose. */
  isAsked: boolean
  /** How the waits between retries grow. */
  backoff: BackoffName
  /** Milliseconds that a job may wait for retries. */
  retryForMs: number
  /** Snoozes of a job. */
  maxSnoozes: number
  /** Milliseconds that all snoozes of a job may take together. */
  maxWaitMs: number
}

/** What a judge of jobs works with, besides the bounds. */
export interface JobJudging {
  /** Policies for the failures of the work, the most specific first. */
  policies: Policies | undefined
  /** Epoch milliseconds. */
  now(): number
  /** In [0, 1); spreads retries. */
  random(): number
  /** Told of a policy that gave no usable answer. */
  report(problem: PolicyProblem): void
}

/** A retry needs more than this to be left of its time, or a tenth of that time if that is less. */
const MIN_RETRY_BUDGET_MS = 30_000

/**
 * Decides for a job by the counters that travel with it. The judge is that of calls and operations: no policy and no hook
 * gets past the bounds or the rule about effects.
 */
export function jobJudge(bounds: JobBounds, record: JobRecord, judging: JobJudging): Judge {
  const { maxRetries, isAsked, backoff, retryForMs, maxSnoozes, maxWaitMs } = bounds
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
      maxRetries,
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
