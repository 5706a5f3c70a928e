import { ENGINE_PREFIX } from '../../ledger/hold-words.ts'
import { DatabaseTime } from '../../ledger/postgres/database-time.ts'
import type { PostgresLedger } from '../../ledger/postgres/postgres-ledger.ts'
import { toId } from '../../ledger/row/rows.ts'

/** How far a host may be behind the server's clock without counting what others wrote as ahead, in milliseconds. */
const STEADY_MS = 5_000
/** Most operations moved in one transaction. */
const STEP = 200

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
    return this.#ledger.transaction(async writes => {
      const now = this.#ledger.time.now()
      const rows = await writes.sql.rows<{ id: number; due_at: number; since: number }>(
        `SELECT id, due_at, since FROM operations WHERE ${ahead} ORDER BY id LIMIT ${STEP} FOR UPDATE SKIP LOCKED`,
        [now + STEADY_MS],
      )
      for (const { id, due_at, since } of rows) {
        if (due_at > now) await writes.edit(toId(id), { dueAt: now + Math.max(0, due_at - since) })
        await writes.sql.run('UPDATE operations SET since = $1 WHERE id = $2', [now, id])
      }
      return rows.length
    })
  }
}
