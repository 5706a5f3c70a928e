/** The clock. Logic never asks the system, so that tests can move time. */
export interface Time {
  /** Epoch milliseconds of the wall clock, which may jump. */
  now(): number
  /** Milliseconds of a clock that only goes forward; its zero means nothing. */
  monotonic(): number
  /** Calls back once after `ms`, 0 or more, possibly Infinity; returns the function that cancels it. */
  after(ms: number, callback: () => void): () => void
  /** Like `after`, but does not keep the process alive. Default `after`. */
  inBackground?(ms: number, callback: () => void): () => void
}

/** Node cannot wait longer in one go: a longer timeout fires at once. */
const LONGEST_TIMER_MS = 2_147_483_647

/** Timers up to here are few enough to keep a list for each duration. */
const SHORT_TIMER_MS = 60_000

const NOTHING = () => {}

/** The time of this machine. Its timers keep the process alive, so that a wait is really waited. */
export const realTime: Time = {
  now: Date.now,
  monotonic: () => performance.now(),
  after(ms, callback) {
    if (ms === Infinity) return NOTHING
    if (ms > LONGEST_TIMER_MS) return afterLong(ms, callback)
    const timer = setTimeout(callback, ms)
    return () => {
      // Node throws away its list of timers of this length with the last referenced one, and makes it anew for the
      // next, at twice the price of the timer itself. An empty list stays until its time is over: fit for short ones.
      // (Where a test environment stands in for Node, a timer may be a number.)
      if (ms <= SHORT_TIMER_MS) timer.unref?.()
      clearTimeout(timer)
    }
  },
  inBackground,
}

/** The time of this machine, for timers that must not keep the process alive. */
function inBackground(ms: number, callback: () => void): () => void {
  // A timer cannot hold more than 24 days; the next check covers it.
  if (ms > LONGEST_TIMER_MS) return NOTHING
  const timer = setTimeout(callback, ms)
  timer.unref?.()
  return () => clearTimeout(timer)
}

/** A wait of months, in pieces that a timer can hold. */
function afterLong(ms: number, callback: () => void): () => void {
  const end = performance.now() + ms
  let timer: NodeJS.Timeout
  const next = () => {
    const left = end - performance.now()
    timer =
      left > LONGEST_TIMER_MS ? setTimeout(next, LONGEST_TIMER_MS) : setTimeout(callback, Math.max(0, left))
  }
  next()
  return () => clearTimeout(timer)
}

/**
 * Waits. Rejects with the signal's reason as soon as it is aborted, and cleans up either way.
 */
export function sleep(time: Time, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason)
      return
    }
    const onAbort = () => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = time.after(ms, () => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    })
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
