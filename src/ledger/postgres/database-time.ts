import { realTime, type Time } from '../../time/time.ts'
import type { Database } from './database.ts'

/** How often the server's clock is asked, in milliseconds. */
const ASK_EVERY_MS = 60_000
/** Of several answers, that which took least time says most. */
const ANSWERS = 3

/**
 * The wall clock of the server, so that all hosts agree on what is due and what has expired, however wrong their own clocks
 * are. Between two questions it goes on by this machine's monotonic clock.
 */
export class DatabaseTime implements Time {
  readonly #database: Database
  /** Server time less monotonic time. */
  #offset: number
  #askedAt = Number.NEGATIVE_INFINITY
  #asking: Promise<void> | undefined

  constructor(database: Database) {
    this.#database = database
    this.#offset = Date.now() - performance.now()
  }

  now(): number {
    if (performance.now() - this.#askedAt > ASK_EVERY_MS) void this.synchronise()
    return Math.round(performance.now() + this.#offset)
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

  /** Asks the server for its time. Where it does not answer, what was known goes on. */
  synchronise(): Promise<void> {
    this.#asking ??= this.#ask()
      .catch(() => {})
      .finally(() => {
        this.#asking = undefined
      })
    return this.#asking
  }

  async #ask(): Promise<void> {
    this.#askedAt = performance.now()
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
