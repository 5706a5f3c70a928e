/** A rate that a provider takes, learned from what it served between refusals. Plain JSON. */
export interface Rate {
  /** Calls per second. */
  perSecond: number
  /** When it was learned, in epoch milliseconds. */
  at: number
}

/** Right after a refusal, calls go this much slower than what was served: what is used up must refill. */
const SLOWER = 0.15
/** The full rate is reached again after this long, in milliseconds; then it is probed upward. */
const RECOVER_MS = 15_000
/** From here on, in milliseconds, it is doubled quickly: nothing was refused for so long. */
const FORGET_MS = 30_000
const DOUBLING_MS = 5_000
const GONE_MS = FORGET_MS + 6 * DOUBLING_MS

/** Too little time or too few calls say nothing about a rate. */
const LEAST_MS = 5_000
const LEAST_SERVED = 3
/** One refusal never slows down by more than this. */
const LEAST_KEPT = 0.7
const SLOWEST = 1 / 60

/**
 * The rate after another refusal: what was served since the limit was first met. Only if calls were waiting, because
 * otherwise they came slower than the limit. Undefined while nothing is known.
 */
export function learned(
  present: Rate | undefined,
  { at, served, waitedFor }: { at: number; served: number; waitedFor: number },
  now: number,
): Rate | undefined {
  const ms = now - at
  if (ms < LEAST_MS || served < LEAST_SERVED || waitedFor * 2 < served) return present
  const measured = Math.max((served / ms) * 1_000, SLOWEST)
  const current = present && rateAt(present, now)
  if (present === undefined || current === undefined) return { perSecond: measured, at: now }
  // What it was probed up to says nothing: it was too fast.
  return { perSecond: Math.min(Math.max(measured, LEAST_KEPT * present.perSecond), current), at: now }
}

/** Calls per second now: below the learned rate at first, beyond it later, as TCP's CUBIC does. Undefined once forgotten. */
export function rateAt({ perSecond, at }: Rate, now: number): number | undefined {
  const ms = now - at
  if (ms < 0 || ms >= GONE_MS) return undefined
  const steady = Math.min(ms, FORGET_MS)
  const curve = 1 + SLOWER * ((steady - RECOVER_MS) / RECOVER_MS) ** 3
  return perSecond * curve * 2 ** (Math.max(0, ms - FORGET_MS) / DOUBLING_MS)
}
