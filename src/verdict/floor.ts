import type { Failure, FailureKind } from '../failure/failure.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** First and longest wait for a limit that does not say when it lifts; it doubles with each snooze. */
export const FLOORS = {
  rate_limit: { firstMs: MINUTE, longestMs: 15 * MINUTE },
  usage_limit: { firstMs: 15 * MINUTE, longestMs: 6 * HOUR },
} as const

/** How long to leave a provider alone that throttled without stating a time. */
export function floorMs(kind: FailureKind, snoozes: number): number {
  const { firstMs, longestMs } = kind === 'rate_limit' ? FLOORS.rate_limit : FLOORS.usage_limit
  const times = snoozes >= 1 ? Math.min(snoozes, 30) : 0
  return Math.min(firstMs * 2 ** times, longestMs)
}

/** When the provider said that it works again, in epoch milliseconds; undefined if it did not. */
export function statedReset(failure: Failure, now: number): number | undefined {
  return failure.resetAt ?? (failure.retryAfterMs === undefined ? undefined : now + failure.retryAfterMs)
}
