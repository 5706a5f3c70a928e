/** A stretch of wall-clock time, in epoch milliseconds. */
export interface Span {
  from: number
  until: number
}

/** How much the clocks of processes and machines may normally differ, in milliseconds. */
export const CLOCK_TOLERANCE_MS = 60_000

/**
 * Moves a span to now if the wall clock was set back to before it began; its length stays. Without this, setting the clock
 * back by a day would turn a one-minute block into one of a day and a minute.
 */
export function rebased<S extends Span>(span: S, now: number): S {
  return now < span.from - CLOCK_TOLERANCE_MS
    ? { ...span, from: now, until: now + (span.until - span.from) }
    : span
}
