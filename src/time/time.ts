/** The clock. Code reads time only from here, so tests can control it. */
export interface Time {
  /** The wall clock in epoch milliseconds; may jump. */
  now(): number
  /** A clock that only goes forward, in milliseconds from an arbitrary start. */
  monotonic(): number
  /** Calls back once after `ms` (0 or more, possibly Infinity). Returns a function that cancels it. */
  after(ms: number, callback: () => void): () => void
  /** Like `after`, but does not keep the process alive. Default `after`. */
  inBackground?(ms: number, callback: () => void): () => void
}

/** Node's longest timer; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2_147_483_647

/** Up to this length, there are few enough distinct timers for Node to keep a list per duration. */
const SHORT_TIMER_MS = 60_000

const NOTHING = () => {}

/** This machine's time. Its timers keep the process alive until they fire. */
export const realTime: Time = {
  now: Date.now,
  monotonic: () => performance.now(),
  after(ms, callback) {
    if (ms === Infinity) return NOTHING
    if (ms > LONGEST_TIMER_MS) return afterLong(ms, callback)
    const timer = setTimeout(callback, ms)
    return () => {
      // Node drops its list of timers of this duration with the last referenced one, and creating a new list costs twice
      // as much as the timer. An unreferenced timer keeps the list until it expires, which is fine for short durations.
      // (In a test environment that replaces Node's timers, a timer may be a number.)
      if (ms <= SHORT_TIMER_MS) timer.unref?.()
      clearTimeout(timer)
    }
  },
  inBackground,
}

/** A timer that does not keep the process alive. */
function inBackground(ms: number, callback: () => void): () => void {
  // Node's timers cannot exceed 24 days; the next check covers longer waits.
  if (ms > LONGEST_TIMER_MS) return NOTHING
  const timer = setTimeout(callback, ms)
  timer.unref?.()
  return () => clearTimeout(timer)
}

/** Splits a wait of months into timers that Node can handle. */
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

/** Waits. Rejects with the signal's reason as soon as it is aborted, and cleans up either way. */
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
