/** How one attempt ended: the only shape in which what user code does reaches the rest. */
export type Outcome<T = unknown> =
  /** `seen` is what was read of the value where that says more than the value itself: the body of a failed answer. */
  { ended: 'returned'; value: T; seen?: unknown } | { ended: 'threw'; error: unknown } | Cut

/** An attempt that was stopped. */
export interface Cut {
  /** By its deadline, by an abort from outside, or by a cost above what is allowed. */
  ended: 'timedOut' | 'aborted' | 'overspent'
  /** Why: the reason of the abort, or the error of the deadline or the cost. */
  reason: unknown
  /** What the work threw within its grace, which tells what it had done by then. */
  error?: unknown
  /** False if it was stopped before the work began: then it cannot have had an effect. */
  isBegun: boolean
  /** The work did not end within its grace: it may still be at it. */
  isStillRunning: boolean
}

/** Name of the error that a signal is aborted with when the call costs more than it may; a deadline says `TimeoutError`. */
export const OVERSPENT = 'OverspentError'

export function overspentError(): Error {
  return Object.assign(new Error('the call costs more than it may'), { name: OVERSPENT })
}

export function timeoutError(ms: number): Error {
  return Object.assign(new Error(`timed out after ${Math.round(ms)} ms`), { name: 'TimeoutError' })
}
