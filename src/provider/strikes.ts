import type { Failure } from '../failure/failure.ts'
import { CLOCK_TOLERANCE_MS } from './span.ts'

/** How a call was refused. A different way starts a new count. */
export type StrikeKind = 'rate_limit' | 'usage_limit' | 'login' | 'unsaid'

/** Consecutive refusals, of all callers, since the last success. Plain JSON. */
export interface Strikes {
  way: StrikeKind
  count: number
  /** When the last one came, in epoch milliseconds. */
  at: number
  /** Until when it must not be called, in epoch milliseconds; null for until cleared. */
  until: number | null
  /** Hit by a call that named no model: then such calls count for it too. */
  isUnnamed?: true
  /** After that time one call goes ahead, and the others wait briefly to see whether it is refused again. */
  trial?: { by: string; until: number }
}

/** How long the others wait for the call that goes ahead, in milliseconds: a refusal comes quickly. */
export const TRIAL_MS = 10_000

/** How a failure refuses; undefined if it is not counted, because it states how long to wait. */
export function strikeKindOf({
  class: cls,
  kind,
  scope,
  resetAt,
  retryAfterMs,
}: Failure): StrikeKind | undefined {
  if (cls === 'throttle') {
    if (kind === 'billing' || resetAt !== undefined || retryAfterMs !== undefined) return undefined
    return kind === 'rate_limit' ? 'rate_limit' : 'usage_limit'
  }
  if (cls !== 'permanent' || (kind !== 'auth' && kind !== 'forbidden') || scope === 'resource')
    return undefined
  return kind === 'forbidden' && scope === undefined ? 'unsaid' : 'login'
}

/**
 * How many consecutive refusals came before the refusal of a call that began at `startedAt`. A call that began before the
 * last refusal or during its block belongs to that refusal, so many calls refused at once count as one.
 */
export function struckBefore(
  strikes: Strikes | undefined,
  way: StrikeKind,
  startedAt: number,
  now: number,
): number {
  if (strikes?.way !== way) return 0
  return isNew(strikes, startedAt, now) ? strikes.count : strikes.count - 1
}

/** @param until epoch milliseconds until which it must not be called */
export function afterStrike(
  strikes: Strikes | undefined,
  way: StrikeKind,
  startedAt: number,
  now: number,
  until: number | null,
  isUnnamed = false,
): Strikes {
  const count = struckBefore(strikes, way, startedAt, now) + 1
  const end = strikes?.way === way ? later(strikes.until, until) : until
  return { way, count, at: now, until: end, ...(isUnnamed || strikes?.isUnnamed ? { isUnnamed: true } : {}) }
}

/** Ends the count if the successful call began after the last refusal. */
export function afterServed(
  strikes: Strikes | undefined,
  startedAt: number,
  now: number,
): Strikes | undefined {
  return strikes && (startedAt >= strikes.at || isOfFuture(strikes, now)) ? undefined : strikes
}

function isNew(strikes: Strikes, startedAt: number, now: number): boolean {
  if (isOfFuture(strikes, now)) return true
  return strikes.until === null ? startedAt >= strikes.at : startedAt >= strikes.until
}

/** The wall clock was set back, so earlier and later can no longer be told apart. */
function isOfFuture({ at }: Strikes, now: number): boolean {
  return at > now + CLOCK_TOLERANCE_MS
}

function later(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : Math.max(a, b)
}
