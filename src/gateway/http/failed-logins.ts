import { sleep, type Time } from '../../time/time.ts'

/** This many wrong tokens or codes in a row are answered at once, because people mistype. */
const FREE = 3
const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 5_000
/** Failures are forgotten after this long without one, in milliseconds. */
const FORGOTTEN_MS = 60_000
/** Most answers delayed at the same time; further callers are told to come back later. */
const MOST_WAITING = 100

/** Slows down answers to wrong tokens and codes. A right one never waits, even while others are guessing. */
export class FailedLogins {
  readonly #time: Time
  #inARow = 0
  #lastAt = -Infinity
  #waiting = 0

  constructor(time: Time) {
    this.#time = time
  }

  /** Waits, longer after each failure. Returns false at once if too many answers are already waiting. */
  async slowDown(signal?: AbortSignal): Promise<boolean> {
    const now = this.#time.monotonic()
    if (now - this.#lastAt > FORGOTTEN_MS) this.#inARow = 0
    this.#lastAt = now
    this.#inARow += 1
    if (this.#inARow <= FREE) return true
    if (this.#waiting >= MOST_WAITING) return false
    this.#waiting += 1
    try {
      await sleep(this.#time, this.#waitMs(), signal)
    } catch {
      // The client is gone, or the daemon is stopping.
    } finally {
      this.#waiting -= 1
    }
    return true
  }

  #waitMs(): number {
    return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(30, this.#inARow - FREE - 1))
  }
}
