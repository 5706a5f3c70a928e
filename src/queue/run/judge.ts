import { Judge } from '../../call/attempt/judge.ts'
import type { Capability } from '../../capability/capability.ts'
import { secondTryCircumstances } from '../../capability/retry-policy.ts'
import type { Operation } from '../../ledger/operation.ts'
import { type BackoffName, longestWaitsMs } from '../../verdict/backoff.ts'
import type { QueueDeps } from '../queue-deps.ts'
import { QUEUE_DEFAULTS, type ResolvedSettings } from '../settings.ts'

/** A retry needs more than this left of its time, or a tenth of that time if that is less. */
const MIN_RETRY_BUDGET_MS = 30_000

/** The bounds of an operation, and what it has used of them: tries and waits since it last started afresh. */
export type Counters = Pick<Operation, 'retries' | 'waits' | 'snoozes' | 'retryingMs' | 'snoozedMs'> &
  Pick<Operation, 'maxRetries' | 'retryForMs'>

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

/** How long retries may take by default, in milliseconds: 30 min for the default number of retries. */
export const RETRY_FOR_DEFAULT_MS = 1_800_000

/** How often and how long an operation is retried. */
export interface RetryBounds {
  maxRetries: number
  /** Whether `maxRetries` was set for this operation or its capability. */
  isAsked: boolean
  backoff: BackoffName
  retryForMs: number
}

/** The bounds of an operation: those it was submitted with, else its capability's, else the queue's. */
export function retryBounds(
  operation: Pick<Operation, 'maxRetries' | 'retryForMs'>,
  capability: Pick<Capability, 'maxRetries' | 'backoff' | 'retryForMs'>,
  settings: ResolvedSettings,
): RetryBounds {
  const asked = operation.maxRetries ?? capability.maxRetries
  const maxRetries = asked ?? settings.maxRetries
  const backoff = capability.backoff ?? settings.backoff
  const retryForMs =
    operation.retryForMs ??
    capability.retryForMs ??
    settings.retryForMs ??
    retryForDefaultMs(maxRetries, backoff)
  return { maxRetries, isAsked: asked !== undefined, backoff, retryForMs }
}

/** Many retries need time for their waits: each retry beyond the default number adds the longest wait that may precede it. */
function retryForDefaultMs(maxRetries: number, backoff: BackoffName): number {
  const usual = longestWaitsMs(backoff, Math.min(maxRetries, QUEUE_DEFAULTS.maxRetries))
  return RETRY_FOR_DEFAULT_MS + longestWaitsMs(backoff, maxRetries) - usual
}
