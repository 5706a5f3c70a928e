/** A stretch of wall-clock time, in epoch milliseconds. */
export interface Span {
  from: number
  until: number
}

/** Clocks of processes and machines differ by this much without anything being wrong. */
export const CLOCK_TOLERANCE_MS = 60_000

/**
 * The same span after the wall clock was set back to before it began: it keeps its length and begins anew.
 * Without this, a clock set back by a day would hold a block of a minute for a day and a minute.
 */
export function rebased<S extends Span>(span: S, now: number): S {
  return now < span.from - CLOCK_TOLERANCE_MS
    ? { ...span, from: now, until: now + (span.until - span.from) }
    : span
}
