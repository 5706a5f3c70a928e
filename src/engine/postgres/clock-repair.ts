import { ENGINE_PREFIX } from '../../ledger/hold-words.ts'
import { DatabaseTime } from '../../ledger/postgres/database-time.ts'
import type { PostgresLedger } from '../../ledger/postgres/postgres-ledger.ts'
import { type Asking, rows } from '../../ledger/record/asking.ts'
import { type Ahead, RESTARTED_AT_ONCE, restartWaits } from '../restart-waits.ts'

/** How far a host may be behind the server's clock without counting what others wrote as ahead, in milliseconds. */
const STEADY_MS = 5_000

const FREE = `(held_by IS NULL OR held_by NOT LIKE '${ENGINE_PREFIX}%')`
/** Waits that began in the future, and submissions from the future that were due at once. */
const AHEAD = [
  `state = 'scheduled' AND waiting <> 'first' AND since > $1 AND ${FREE}`,
  `state = 'scheduled' AND waiting = 'first' AND created_at > $1 AND due_at > $1 AND due_at <= created_at AND ${FREE}`,
]

/**
 * Repairs waits that began while the server's clock was ahead, once it is back: each operation waits as long from now as
 * it was meant to. It finds them by when they were written, so no host needs to have seen the clock go back.
 */
export class ClockRepair {
  readonly #ledger: PostgresLedger

  constructor(ledger: PostgresLedger) {
    this.#ledger = ledger
  }

  /** Returns how many it repaired. */
  async run(signal?: AbortSignal): Promise<number> {
    const { time } = this.#ledger
    let repaired = 0
    for (const ahead of AHEAD)
      while (!signal?.aborted && (await this.#isAny(ahead))) {
        // A host that slept mistakes its own lag for a changed clock, until it has asked the server.
        if (time instanceof DatabaseTime && !(await time.synchronise())) return repaired
        const moved = await this.#move(ahead)
        repaired += moved
        // The host was behind, or another one repairs the rest.
        if (moved === 0) break
      }
    return repaired
  }

  async #isAny(ahead: string): Promise<boolean> {
    const after = this.#ledger.time.now() + STEADY_MS
    const found = await this.#ledger.read(sql =>
      sql.row(`SELECT 1 AS any FROM operations WHERE ${ahead} LIMIT 1`, [after]),
    )
    return found !== undefined
  }

  #move(ahead: string): Promise<number> {
    const { time } = this.#ledger
    const find = `SELECT id, due_at, since FROM operations WHERE ${ahead} ORDER BY id LIMIT ${RESTARTED_AT_ONCE} FOR UPDATE SKIP LOCKED`
    return this.#ledger.write(function* (): Asking<number> {
      return yield* restartWaits(yield* rows<Ahead>(find, time.now() + STEADY_MS), time)
    })
  }
}
