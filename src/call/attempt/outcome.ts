/** How one attempt ended. The result of user code reaches the rest of the system only in this shape. */
export type Outcome<T = unknown> =
  /** `seen` is what was read from the value, if that says more than the value itself: the body of a failed answer. */
  { ended: 'returned'; value: T; seen?: unknown } | { ended: 'threw'; error: unknown } | Cut

/** An attempt that was stopped. */
export interface Cut {
  /** By its deadline, by an abort from outside, or by exceeding its cost limit. */
  ended: 'timedOut' | 'aborted' | 'overspent'
  /** The reason of the abort, or the error of the deadline or the cost limit. */
  reason: unknown
  /** What the work threw within its grace, which says what it had done by then. */
  error?: unknown
  /** False if it was stopped before the work began: then it cannot have had an effect. */
  isBegun: boolean
  /** True if the work did not end within its grace: it may still be running. */
  isStillRunning: boolean
}

/** Name of the error that aborts a signal when the call exceeds its cost limit; for a deadline it is `TimeoutError`. */
export const OVERSPENT = 'OverspentError'

export function overspentError(): Error {
  return Object.assign(new Error('the call exceeds its cost limit'), { name: OVERSPENT })
}

export function isOverspent(reason: unknown): boolean {
  return reason instanceof Error && reason.name === OVERSPENT
}

/** Why the slower of two that race is ended. */
export class Overtaken extends Error {
  override name = 'AbortError'

  constructor() {
    super('another provider answered first')
  }
}

/** How long work may take to return what it has exceeded its cost limit for, in milliseconds. */
export const PAID_GRACE_MS = 500

export function timeoutError(ms: number): Error {
  return Object.assign(new Error(`timed out after ${Math.round(ms)} ms`), { name: 'TimeoutError' })
}
