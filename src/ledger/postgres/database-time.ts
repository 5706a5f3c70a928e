import { realTime, type Time } from '../../time/time.ts'
import type { Database } from './database.ts'

/** How often the server's clock is read, in milliseconds. */
const ASK_EVERY_MS = 60_000
/** How far this machine's two clocks may diverge before the server's clock is read again, in milliseconds. */
const SLEPT_MS = 1_000
/** Answers per reading; the fastest is the most precise. */
const ANSWERS = 3

/**
 * The server's wall clock, so that all hosts agree on what is due and what has expired, however wrong their own clocks are.
 * Between two readings it advances with this machine's monotonic clock.
 */
export class DatabaseTime implements Time {
  readonly #database: Database
  /** Server time minus monotonic time. */
  #offset: number
  #askedAt = Number.NEGATIVE_INFINITY
  /** This machine's wall time minus monotonic time, at the last reading. */
  #wallOffset = 0
  #asking: Promise<boolean> | undefined

  constructor(database: Database) {
    this.#database = database
    this.#offset = Date.now() - performance.now()
  }

  now(): number {
    const monotonic = performance.now()
    // The monotonic clock stops while the machine sleeps; the wall clock does not.
    const slept = Math.abs(Date.now() - monotonic - this.#wallOffset) > SLEPT_MS
    if (slept || monotonic - this.#askedAt > ASK_EVERY_MS) void this.synchronise()
    return Math.round(monotonic + this.#offset)
  }

  monotonic(): number {
    return performance.now()
  }

  after(ms: number, callback: () => void): () => void {
    return realTime.after(ms, callback)
  }

  inBackground(ms: number, callback: () => void): () => void {
    return (realTime.inBackground ?? realTime.after)(ms, callback)
  }

  /** Reads the server's time. Returns whether it answered; if not, the last known offset stays. */
  synchronise(): Promise<boolean> {
    this.#asking ??= this.#ask()
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        this.#asking = undefined
      })
    return this.#asking
  }

  async #ask(): Promise<void> {
    this.#askedAt = performance.now()
    this.#wallOffset = Date.now() - this.#askedAt
    if (this.#database.isClosed) return
    let best = Infinity
    for (let answer = 0; answer < ANSWERS; answer++) {
      const { took, offset } = await this.#database.read(async sql => {
        const before = performance.now()
        const row = await sql.row<{ ms: number }>('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms')
        const after = performance.now()
        return { took: after - before, offset: (row?.ms ?? 0) - (before + after) / 2 }
      })
      if (took >= best) continue
      best = took
      this.#offset = offset
    }
  }
}
