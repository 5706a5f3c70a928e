import type { Failure } from '../failure/failure.ts'
import type { Circumstances } from '../verdict/circumstances.ts'
import { defaultPolicy } from '../verdict/default-policy.ts'
import type { HealthMark } from '../verdict/policy.ts'
import type { Standing } from './provider-health.ts'

/** What a failure without a call to act on it means for its provider: of a probe, or of a limit hit on the way to success. */
export function markWithoutCall(failure: Failure, now: number, standing: Standing): HealthMark {
  return defaultPolicy.health(failure, { ...withoutCall(now), ...standing })
}

/** Circumstances without a call: only the time matters to health. */
export function withoutCall(now: number): Circumstances {
  return {
    durable: false,
    now,
    random: 0,
    retries: 0,
    maxRetries: 0,
    backoff: 'fullJitter',
    snoozes: 0,
    maxSnoozes: 0,
    remainingMs: 0,
    minRetryBudgetMs: 0,
    repeatable: true,
    resumable: false,
    verifiable: false,
    otherProviderAvailable: false,
  }
}
