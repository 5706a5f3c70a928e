import type { Failure } from '../../failure/failure.ts'
import type { Circumstances } from '../circumstances.ts'
import { type Course, failover, retryIfNothingDone, snooze, statedReset } from '../course.ts'
import { defaultPolicy } from '../default-policy.ts'
import { asFarAsHeard } from '../heard.ts'
import type { Policy } from '../policy.ts'
import { timesMet, unstatedWaitMs } from '../unstated-wait.ts'
import type { Verdict } from '../verdict.ts'

/**
 * Treats every throttle as exhaustion: opens the breaker at once, fills the windows until the limit lifts, and fails over.
 * A transient failure goes to the next provider and counts against none.
 */
export const terraphim: Policy = {
  name: 'terraphim',
  verdict(failure, circumstances) {
    const decided =
      failure.class === 'transient'
        ? first([failover], failure, circumstances, 'terraphim:flake')
        : // The provider's breaker was just opened, so a retry could not pass it.
          failure.class === 'throttle' && failure.kind !== 'billing'
          ? first([failover, snooze], failure, circumstances, 'terraphim:throttle')
          : failure.class === 'timeout' && !circumstances.durable
            ? first([retryIfNothingDone, failover], failure, circumstances, 'terraphim:timeout')
            : undefined
    if (!decided && failure.class === 'timeout' && !circumstances.durable)
      return {
        action: 'cancel',
        as: circumstances.remainingMs > 0 ? 'exhausted' : 'expired',
        reason: `${failure.kind}: not repeated`,
        rule: 'terraphim:timeout',
      }
    return decided ?? defaultPolicy.verdict(failure, circumstances)
  },
  health(failure, circumstances) {
    const { now } = circumstances
    switch (failure.class) {
      case 'throttle': {
        const blockUntil =
          failure.kind === 'billing'
            ? 'cleared'
            : (statedReset(failure, now) ?? now + unstatedWaitMs(failure.kind, timesMet(circumstances)))
        return asFarAsHeard({ breaker: 'trip', blockUntil, fillWindows: true }, failure, now)
      }
      case 'transient':
        return { breaker: 'none' }
      default:
        return defaultPolicy.health(failure, circumstances)
    }
  },
}

function first(
  courses: readonly Course[],
  failure: Failure,
  circumstances: Circumstances,
  rule: string,
): Verdict | undefined {
  for (const course of courses) {
    const taken = course.take(failure, circumstances)
    if ('verdict' in taken) return { ...taken.verdict, rule } as Verdict
  }
  return undefined
}
