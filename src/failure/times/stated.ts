/** A stated wait: a duration from now, or a point in time. */
export type Stated = { ms: number } | { at: number }

/** The fields of a Failure that say when to come back. */
export interface Wait {
  retryAfterMs?: number
  resetAt?: number
}

const LONGEST_MS = 35 * 86_400_000

/**
 * Turns a stated wait into fields of a Failure. A time in the past or more than 35 days ahead counts as unstated. A point
 * in time needs `now`; with `now`, both fields are set.
 */
export function settle(stated: Stated | undefined, now: number | undefined): Wait | undefined {
  if (stated === undefined) return undefined
  if ('ms' in stated) {
    const ms = Math.round(stated.ms)
    if (!Number.isFinite(ms) || ms < 0 || ms > LONGEST_MS) return undefined
    return now === undefined ? { retryAfterMs: ms } : { retryAfterMs: ms, resetAt: now + ms }
  }
  if (now === undefined || !Number.isFinite(stated.at)) return undefined
  const ms = Math.round(stated.at - now)
  return ms <= 0 || ms > LONGEST_MS ? undefined : { retryAfterMs: ms, resetAt: now + ms }
}

/** Interprets a bare number in a reset field by its size: epoch ms, epoch s, or seconds from now. */
export function readResetNumber(value: number): Stated | undefined {
  if (!Number.isFinite(value) || value < 0) return undefined
  if (value > 1e11) return { at: value }
  if (value > 1e9) return { at: value * 1_000 }
  return value < 1e7 ? { ms: value * 1_000 } : undefined
}
