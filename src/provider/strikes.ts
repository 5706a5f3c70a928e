import type { Failure } from '../failure/failure.ts'
import { CLOCK_TOLERANCE_MS } from './span.ts'

/** In which way a call was refused; refusals of another way are counted anew. */
export type Way = 'rate_limit' | 'usage_limit' | 'login' | 'unsaid'

/** Refusals in a row, of all callers, since the last success. Plain JSON. */
export interface Strikes {
  way: Way
  count: number
  /** Epoch milliseconds of the last one. */
  at: number
  /** Epoch milliseconds until which it was not to be asked again; null until cleared. */
  until: number | null
  /** Met by a call that named no model: such calls count for it as well. */
  isUnnamed?: true
  /** After that time one call goes ahead, and the others wait a little to see whether it is refused again. */
  trial?: { by: string; until: number }
}

/** How long the others wait for the one that goes ahead: a refusal comes quickly. */
export const TRIAL_MS = 10_000

/** The way in which a failure refuses; undefined for one that is not counted, because it states how long to wait. */
export function wayOf({ class: cls, kind, scope, resetAt, retryAfterMs }: Failure): Way | undefined {
  if (cls === 'throttle') {
    if (kind === 'billing' || resetAt !== undefined || retryAfterMs !== undefined) return undefined
    return kind === 'rate_limit' ? 'rate_limit' : 'usage_limit'
  }
  if (cls !== 'permanent' || (kind !== 'auth' && kind !== 'forbidden') || scope === 'resource')
    return undefined
  return kind === 'forbidden' && scope === undefined ? 'unsaid' : 'login'
}

/**
 * How many refusals in a row came before that of a call which began then. Calls that were under way when the last one
 * came, or went on although it was not to be asked, belong to it: a crowd that is refused at once is refused once.
 */
export function struckBefore(strikes: Strikes | undefined, way: Way, startedAt: number, now: number): number {
  if (strikes?.way !== way) return 0
  return isNew(strikes, startedAt, now) ? strikes.count : strikes.count - 1
}

/** @param until epoch milliseconds until which it is not to be asked again */
export function afterStrike(
  strikes: Strikes | undefined,
  way: Way,
  startedAt: number,
  now: number,
  until: number | null,
  isUnnamed = false,
): Strikes {
  const count = struckBefore(strikes, way, startedAt, now) + 1
  const end = strikes?.way === way ? later(strikes.until, until) : until
  return { way, count, at: now, until: end, ...(isUnnamed || strikes?.isUnnamed ? { isUnnamed: true } : {}) }
}

/** A call succeeded that began then: if that was after the last refusal, the row has ended. */
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

/** The wall clock was set back: what it says about earlier and later is no longer true. */
function isOfFuture({ at }: Strikes, now: number): boolean {
  return at > now + CLOCK_TOLERANCE_MS
}

function later(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : Math.max(a, b)
}
