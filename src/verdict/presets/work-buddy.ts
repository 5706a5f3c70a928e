import type { Failure } from '../../failure/failure.ts'
import { type BackoffName, backoffMs } from '../backoff.ts'
import { defaultPolicy } from '../default-policy.ts'
import type { Policy } from '../policy.ts'
import type { Verdict } from '../verdict.ts'

/** Its schedules count attempts from 1 and have three names; any other name means 10 s. */
export function workBuddyDelayMs(strategy: string, attempt: number): number {
  const name: BackoffName = strategy === 'adaptive' || strategy === 'exponential' ? strategy : 'fixed10s'
  return backoffMs(name, attempt - 1, 0)
}

/**
 * A background retry queue that knows transient, permanent and unknown. Deadlines are transient, throttles do not exist, and
 * only transient failures are repeated. `maxRetries` counts attempts including the first, so 5 means four retries.
 */
export const workBuddy: Policy = {
  name: 'workBuddy',
  verdict(failure, { retries, maxRetries, backoff }) {
    const attempt = retries + 1
    if (failure.class === 'aborted') return cancelled(failure, 'cancelled', 'it was cancelled')
    if (failure.class !== 'transient' && failure.class !== 'timeout')
      return cancelled(failure, 'refused', `${failure.class} is not retried`)
    if (attempt >= maxRetries)
      return cancelled(failure, 'exhausted', `attempt ${attempt} of ${maxRetries} was the last`)
    const delayMs = workBuddyDelayMs(backoff, attempt)
    return {
      action: 'retry',
      delayMs,
      mode: 'again',
      reason: `${failure.kind}: attempt ${attempt + 1} of ${maxRetries}`,
      rule: 'workBuddy:transient',
    }
  },
  health: defaultPolicy.health,
}

function cancelled(failure: Failure, as: 'cancelled' | 'refused' | 'exhausted', why: string): Verdict {
  return { action: 'cancel', as, reason: `${failure.kind}: ${why}`, rule: `workBuddy:${failure.class}` }
}
