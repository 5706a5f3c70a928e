import type { Failure } from '../../failure/failure.ts'
import type { Circumstances } from '../circumstances.ts'
import { defaultPolicy } from '../default-policy.ts'
import type { Policy } from '../policy.ts'
import { statedReset } from '../stated-reset.ts'
import { failover, type Step, snooze } from '../step.ts'
import { timesMet, unstatedWaitMs } from '../unstated-wait.ts'
import type { Verdict } from '../verdict.ts'

/**
 * A fleet that treats every throttle as exhaustion: it opens the breaker at once, fills the windows until the limit
 * lifts, and moves on; a flake is answered by the next provider and held against none.
 */
export const terraphim: Policy = {
  name: 'terraphim',
  verdict(failure, circumstances) {
    const decided =
      failure.class === 'transient'
        ? first([failover], failure, circumstances, 'terraphim:flake')
        : // The provider was just tripped: a retry would only meet its open breaker.
          failure.class === 'throttle' && failure.kind !== 'billing'
          ? first([failover, snooze], failure, circumstances, 'terraphim:throttle')
          : undefined
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
        return { breaker: 'trip', blockUntil, fillWindows: true }
      }
      case 'transient':
        return { breaker: 'none' }
      default:
        return defaultPolicy.health(failure, circumstances)
    }
  },
}

function first(
  steps: readonly Step[],
  failure: Failure,
  circumstances: Circumstances,
  rule: string,
): Verdict | undefined {
  for (const step of steps) {
    const taken = step.take(failure, circumstances)
    if ('verdict' in taken) return { ...taken.verdict, rule } as Verdict
  }
  return undefined
}
