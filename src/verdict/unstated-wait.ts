import type { FailureKind } from '../failure/failure.ts'
import type { Circumstances } from './circumstances.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** First and longest wait for a limit without a stated time; doubles each time in a row. */
export const UNSTATED_WAITS = {
  rate_limit: { firstMs: MINUTE, longestMs: 15 * MINUTE },
  usage_limit: { firstMs: 15 * MINUTE, longestMs: 6 * HOUR },
} as const

/** First and longest block after a refused login with an unknown credential; doubles with each refusal in a row. */
export const LOGIN_BLOCK = { firstMs: MINUTE / 2, longestMs: 15 * MINUTE } as const

/** How many refusals in a row without a stated scope are tolerated before they count against the login. */
export const UNCLEAR_REFUSALS = 2

/**
 * How long to leave a provider alone that throttled without stating a time.
 * @param times how many times in a row this happened before
 */
export function unstatedWaitMs(kind: FailureKind, times: number): number {
  return doubled(kind === 'rate_limit' ? UNSTATED_WAITS.rate_limit : UNSTATED_WAITS.usage_limit, times)
}

/** How long to block a login with an unknown credential. */
export function loginBlockMs(strikes: number): number {
  return doubled(LOGIN_BLOCK, strikes)
}

/** How many times the limit was hit so far: by this operation, or by all users of the provider if that is more. */
export function timesMet({ snoozes, strikes = 0 }: Pick<Circumstances, 'snoozes' | 'strikes'>): number {
  return Math.max(snoozes, strikes)
}

function doubled({ firstMs, longestMs }: { firstMs: number; longestMs: number }, times: number): number {
  return Math.min(firstMs * 2 ** (times >= 1 ? Math.min(times, 30) : 0), longestMs)
}
