import type { Time } from '../time/time.ts'
import { isLedgerError } from './error.ts'

/** Options of a lookout. */
export interface LookoutOptions {
  time: Time
  /** Looks once. On abort, finish what cannot be left half done, and return. */
  look: (signal: AbortSignal) => Promise<void>
  /** Called if a look failed. The lookout tries again after a wait, longer after each failure in a row. */
  onError: (error: unknown) => void
  /** How long to wait after a change, in milliseconds, to handle many at once. Default 0: look immediately. */
  gatherMs?: number
}

/** First and longest wait after a failed look, in milliseconds. */
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 60_000

/** Looks after every change. Runs one look at a time; changes during a look cause one more. */
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

  /** Looks soon, because something changed. */
  soon(): void {
    const { gatherMs = 0, time } = this.#options
    // After a failure it waits the full time, no matter how much changes.
    if (this.isClosed || this.#cancelRetry) return
    if (gatherMs === 0) void this.now()
    else
      this.#cancelTimer ??= time.after(gatherMs, () => {
        this.#cancelTimer = undefined
        void this.now()
      })
  }

  /** Looks now, or once more after the current look. Resolves when everything has been looked at; never rejects. */
  now(): Promise<void> {
    this.#isAgain = true
    this.#looking ??= this.#look()
    return this.#looking
  }

  /** Stops looking. Resolves when the current look has ended. */
  async close(): Promise<void> {
    this.#stop.abort()
    this.#cancelTimer?.()
    this.#cancelRetry?.()
    this.#cancelTimer = this.#cancelRetry = undefined
    await this.#looking
  }

  async #look(): Promise<void> {
    try {
      while (this.#isAgain && !this.isClosed) await this.#once()
    } finally {
      // Together with the last check: a change between the two would start no look, and wait for the next change.
      this.#looking = undefined
    }
  }

  async #once(): Promise<void> {
    const { look, onError } = this.#options
    this.#isAgain = false
    try {
      await look(this.#stop.signal)
      this.#failures = 0
    } catch (error) {
      // After a failure it waits, no matter what changed meanwhile.
      this.#isAgain = false
      if (this.isClosed && error === this.#stop.signal.reason) return
      onError(error)
      // A closed ledger never answers again.
      if (!isLedgerError(error) || error.code !== 'closed') this.#later()
    }
  }

  /** There may be no change for a long time, and the failed work remains to be done. */
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
