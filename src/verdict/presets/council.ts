import type { Failure } from '../../failure/failure.ts'
import type { Circumstances } from '../circumstances.ts'
import { statedReset } from '../course.ts'
import { defaultPolicy } from '../default-policy.ts'
import type { Policy } from '../policy.ts'
import type { Verdict } from '../verdict.ts'

/** A second try needs strictly more than this many milliseconds of any budget, unless the council sets another minimum. */
export const COUNCIL_MIN_RETRY_BUDGET_MS = 30_000
const MOST_RETRIES = 1

/** The four classes that a council of models distinguishes. */
export type CouncilClass = 'timeout' | 'transient' | 'permanent' | 'unknown'

/**
 * The council's class of a failure. Transient is what failed fast and would pass: our own transient class, deadlines of the
 * provider and of the system, and a rate limit that states no wait or one that fits the remaining time. A used-up plan or
 * account is not transient. An abort is never retried and counts as unknown.
 */
export function councilClass(
  failure: Failure,
  { now, remainingMs }: Pick<Circumstances, 'now' | 'remainingMs'>,
): CouncilClass {
  switch (failure.class) {
    case 'transient':
      return 'transient'
    case 'timeout':
      return isTheirDeadline(failure) ? 'transient' : 'timeout'
    case 'throttle': {
      const stated = statedReset(failure, now)
      const fits = failure.kind === 'rate_limit' && (stated === undefined || stated - now < remainingMs)
      return fits ? 'transient' : 'permanent'
    }
    case 'aborted':
    case 'unknown':
      return 'unknown'
    default:
      return 'permanent'
  }
}

/** True for a deadline of the provider or the system, not of the caller: 408, 504, a connection that was never made. */
function isTheirDeadline({ kind, status, code, origin }: Failure): boolean {
  if (origin !== undefined) return false
  return kind === 'gateway_timeout' || kind === 'connect_timeout' || status === 408 || code === 'ETIMEDOUT'
}

/**
 * At most one retry within each member's budget, and only of what a council calls transient.
 * @param minRetryBudgetMs the retry needs strictly more than this left, regardless of the circumstances; default 30 s
 */
export function councilPolicy(minRetryBudgetMs: number = COUNCIL_MIN_RETRY_BUDGET_MS): Policy {
  return {
    name: 'council',
    verdict(failure, circumstances) {
      const { now, random, retries, remainingMs } = circumstances
      const cls = councilClass(failure, circumstances)
      if (cls !== 'transient') return cancelled(failure, cls, `a council does not retry ${failure.class}`)
      if (retries >= MOST_RETRIES) return cancelled(failure, cls, 'a council retries only once')
      const stated = statedReset(failure, now)
      const delayMs = Math.max(1_000 + Math.round(random * 1_000), stated === undefined ? 0 : stated - now)
      if (remainingMs <= minRetryBudgetMs || delayMs >= remainingMs)
        return cancelled(failure, cls, 'too little of the budget is left for a retry')
      return {
        action: 'retry',
        delayMs,
        mode: 'again',
        reason: `${failure.kind}: failed early and may be temporary`,
        rule: 'council:transient',
      }
    },
    /**
     * One member's refusal says little about the others: it counts for its model alone. What the retry is for counts nowhere,
     * so that it never holds up a later council.
     */
    health(failure, circumstances) {
      const isPassing =
        councilClass(failure, circumstances) === 'transient' &&
        statedReset(failure, circumstances.now) === undefined
      return isPassing
        ? { breaker: 'none' }
        : { ...defaultPolicy.health(failure, circumstances), ofModel: true }
    },
  }
}

/** The council policy with its fixed minimum of 30 s, which no call setting lowers. */
export const council: Policy = councilPolicy()

function cancelled(failure: Failure, cls: CouncilClass, why: string): Verdict {
  const as =
    failure.class === 'aborted'
      ? 'cancelled'
      : failure.class === 'rail'
        ? 'stopped'
        : cls === 'transient'
          ? 'exhausted'
          : 'refused'
  return { action: 'cancel', as, reason: `${failure.kind}: ${why}`, rule: `council:${cls}` }
}
