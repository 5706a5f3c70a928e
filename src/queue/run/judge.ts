import { Judge } from '../../call/attempt/judge.ts'
import type { Capability } from '../../capability/capability.ts'
import { secondTryCircumstances } from '../../capability/retry-policy.ts'
import { retryBounds } from '../bounds.ts'
import type { QueueDeps } from '../queue-deps.ts'
import type { Counters } from './counters.ts'

/** A retry needs more than this left of its time, or a tenth of that time if that is less. */
const MIN_RETRY_BUDGET_MS = 30_000

/**
 * Decides for an operation, which can wait for hours.
 * @param counters read at each decision
 */
export function durableJudge(deps: QueueDeps, capability: Capability, counters: Counters): Judge {
  const { time, random, settings } = deps
  return new Judge({
    rules: 'queue',
    policies: failure => deps.policies(capability, failure.provider),
    report: problem => deps.report({ about: 'policy', problem }),
    limits: () => ({ snoozed: { ms: counters.snoozedMs, mostMs: settings.maxWaitMs } }),
    circumstances: outlook => {
      const { maxRetries, isAsked, backoff, retryForMs } = retryBounds(counters, capability, settings)
      const { retries, waits, snoozes, retryingMs } = counters
      return {
        durable: true,
        now: time.now(),
        random: random(),
        // Tries that a caller waited for do not use up those of the queue.
        retries: waits,
        foreground: retries - waits,
        maxRetries,
        retriesAsked: isAsked,
        backoff,
        snoozes,
        maxSnoozes: settings.maxSnoozes,
        remainingMs: Math.max(0, retryForMs - retryingMs),
        minRetryBudgetMs: Math.min(MIN_RETRY_BUDGET_MS, retryForMs / 10),
        ...secondTryCircumstances(capability),
        ...outlook,
      }
    },
  })
}
