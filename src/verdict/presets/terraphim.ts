import { defaultPolicy } from '../default-policy.ts'
import { floorMs, statedReset } from '../floor.ts'
import type { Policy } from '../policy.ts'
import { failover } from '../step.ts'

/**
 * A fleet that treats every throttle as exhaustion: it opens the breaker at once and fills the windows until the
 * limit lifts; a flake is answered by the next provider and held against nobody.
 */
export const terraphim: Policy = {
  name: 'terraphim',
  verdict(failure, circumstances) {
    if (failure.class === 'transient') {
      const taken = failover.take(failure, circumstances)
      if ('verdict' in taken)
        return { action: 'failover', reason: taken.verdict.reason, rule: 'terraphim:flake' }
    }
    return defaultPolicy.verdict(failure, circumstances)
  },
  health(failure, circumstances) {
    const { now, snoozes } = circumstances
    switch (failure.class) {
      case 'throttle': {
        const blockUntil =
          failure.kind === 'billing'
            ? 'cleared'
            : (statedReset(failure, now) ?? now + floorMs(failure.kind, snoozes))
        return { breaker: 'trip', blockUntil, fillWindows: true }
      }
      case 'transient':
        return { breaker: 'none' }
      default:
        return defaultPolicy.health(failure, circumstances)
    }
  },
}
