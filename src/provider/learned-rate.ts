/** A rate that a provider takes, learned from what it served between refusals. Plain JSON. */
export interface Rate {
  /** Calls per second. */
  perSecond: number
  /** Since when calls go at it, in epoch milliseconds: the end of the pause after the refusal. */
  at: number
}

/** Right after a refusal, calls go this much slower than the rate: what is used up must refill. */
const SLOWER = 0.2
/** The full rate is reached again after so many calls; then it is probed upward. */
const RECOVER_CALLS = 15
/** But after this long at the latest, in milliseconds. */
const RECOVER_MS = 15_000
/** After so many recoveries it is doubled quickly: nothing was refused for so long. */
const PROVEN = 2
/** A doubling takes this share of a recovery. */
const DOUBLING = 0.2
/** After so many doublings nobody waits. */
const DOUBLINGS = 6

/** A rate is measured over this long at least, in milliseconds: a few answers in a moment say little. */
const LEAST_MS = 1_000
/** One refusal never slows down by more than this. */
const LEAST_KEPT = 0.9
const SLOWEST = 1 / 60

/**
 * The rate after another refusal, in calls per second. The first time it is what was served since the last pause, if calls were
 * waiting: otherwise they came slower than the limit. Then it is a little less than what was just too fast, so the limit is
 * approached from above. Undefined while nothing is known.
 */
export function learned(
  present: Rate | undefined,
  { until, served, waitedFor }: { until: number; served: number; waitedFor: number },
  now: number,
): number | undefined {
  const measured = (served * 1_000) / Math.max(now - until, LEAST_MS)
  const current = present && rateAt(present, now)
  if (current !== undefined) return Math.max(LEAST_KEPT * current, Math.min(measured, current), SLOWEST)
  if (served === 0 || waitedFor * 2 < served) return undefined
  return Math.max(measured, SLOWEST)
}

/** Calls per second now: below the learned rate at first, beyond it later, as TCP's CUBIC does. Undefined once forgotten. */
export function rateAt({ perSecond, at }: Rate, now: number): number | undefined {
  const recoveryMs = Math.min(RECOVER_MS, (RECOVER_CALLS * 1_000) / perSecond)
  const recoveries = Math.max(0, now - at) / recoveryMs
  if (recoveries >= PROVEN + DOUBLINGS * DOUBLING) return undefined
  const curve = 1 + SLOWER * (Math.min(recoveries, PROVEN) - 1) ** 3
  return perSecond * curve * 2 ** (Math.max(0, recoveries - PROVEN) / DOUBLING)
}
