import type { Failure } from '../failure/failure.ts'

/** When the provider says it works again, in epoch milliseconds; undefined if it does not say. */
export function statedReset(failure: Failure, now: number): number | undefined {
  return failure.resetAt ?? (failure.retryAfterMs === undefined ? undefined : now + failure.retryAfterMs)
}
