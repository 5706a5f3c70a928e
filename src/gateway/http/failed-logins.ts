import { sleep, type Time } from '../../time/time.ts'

/** This many wrong tokens or codes in a row are answered at once: people mistype. */
const FREE = 3
const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 5_000
/** Without a failure for this long, they are forgotten, in milliseconds. */
const FORGOTTEN_MS = 60_000
/** Answers that may wait at the same time; the rest is told to come back later. */
const MOST_WAITING = 100

/** Slows down answers to wrong tokens and codes. A right one never waits, whoever else is guessing. */
export class FailedLogins {
  readonly #time: Time
  #inARow = 0
  #lastAt = -Infinity
  #waiting = 0

  constructor(time: Time) {
    this.#time = time
  }

  /** Waits as long as the failures so far demand. Returns false, at once, if too many wait already. */
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
      // The client has gone, or the daemon stops.
    } finally {
      this.#waiting -= 1
    }
    return true
  }

  #waitMs(): number {
    return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(30, this.#inARow - FREE - 1))
  }
}
