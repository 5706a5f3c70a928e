import type { Time } from '../time/time.ts'

/** How a lookout looks. */
export interface LookoutOptions {
  time: Time
  /** Looks once. An abort means: finish what cannot be left half done, and return. */
  look: (signal: AbortSignal) => Promise<void>
  /** Told when looking failed. It is tried again after a while, longer each time in a row. */
  onError: (error: unknown) => void
  /** How long to wait after a change, so that many are looked at once, in milliseconds. Default 0: at once. */
  gatherMs?: number
}

/** First and longest wait after a look that failed, in milliseconds. */
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 60_000

/** Looks after every change: one look at a time, and what changes meanwhile causes one more. */
export class Lookout {
  readonly #options: LookoutOptions
  readonly #stop = new AbortController()
  #looking: Promise<void> | undefined
  #isAgain = false
  #cancelTimer: (() => void) | undefined
  #cancelRetry: (() => void) | undefined
  #failures = 0

  constructor(options: LookoutOptions) {
    this.#options = options
  }

  get isClosed(): boolean {
    return this.#stop.signal.aborted
  }

  /** Something changed: looks soon. */
  soon(): void {
    const { gatherMs = 0, time } = this.#options
    // After a failure it waits as long as it said, however much happens.
    if (this.isClosed || this.#cancelRetry) return
    if (gatherMs === 0) void this.now()
    else
      this.#cancelTimer ??= time.after(gatherMs, () => {
        this.#cancelTimer = undefined
        void this.now()
      })
  }

  /** Looks now, or once more after the look under way. Settles when all has been looked at; never rejects. */
  now(): Promise<void> {
    this.#isAgain = true
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  /** Looks no more. Settles when the look under way has ended. */
  async close(): Promise<void> {
    this.#stop.abort()
    this.#cancelTimer?.()
    this.#cancelRetry?.()
    this.#cancelTimer = this.#cancelRetry = undefined
    await this.#looking
  }

  async #look(): Promise<void> {
    const { look, onError } = this.#options
    while (this.#isAgain && !this.isClosed) {
      this.#isAgain = false
      try {
        await look(this.#stop.signal)
        this.#failures = 0
      } catch (error) {
        if (this.isClosed && error === this.#stop.signal.reason) return
        onError(error)
        this.#later()
        return
      }
    }
  }

  /** Nothing may change for a long time, and what could not be done is still to be done. */
  #later(): void {
    if (this.isClosed) return
    const wait = Math.min(FIRST_WAIT_MS * 2 ** Math.min(this.#failures++, 30), LONGEST_WAIT_MS)
    this.#cancelRetry?.()
    this.#cancelRetry = this.#options.time.after(wait, () => {
      this.#cancelRetry = undefined
      void this.now()
    })
  }
}
