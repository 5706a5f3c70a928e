import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { ENGINE_PREFIX } from '../../ledger/hold-words.ts'
import type { SqliteLedger } from '../../ledger/sqlite/sqlite-ledger.ts'
import { rangesOfTime } from '../../ledger/sqlite/time-ranges.ts'
import { type Ahead, RESTARTED_AT_ONCE, restartWaits } from '../restart-waits.ts'

/** Largest difference that does not count as a jump, in milliseconds. */
const STEADY_MS = 1_000

/**
 * Repairs waits that began while the wall clock was ahead, once it is back. Operations that were never tried and were
 * due at once become due again; a wait after a try gets its intended length. Operations submitted for a certain time
 * keep that time. It finds them by when they were written, so nobody needs to have seen the clock go back.
 */
export class ClockRepair {
  readonly #ledger: SqliteLedger
  readonly #waits: StatementSync
  readonly #anySubmitted: StatementSync
  readonly #submitted: StatementSync

  constructor(ledger: SqliteLedger, db: DatabaseSync) {
    this.#ledger = ledger
    this.#waits = db.prepare(`SELECT id, due_at, since FROM operations INDEXED BY operations_waits
      WHERE state = 'scheduled' AND waiting <> 'first' AND since > ?
        AND (held_by IS NULL OR held_by NOT LIKE '${ENGINE_PREFIX}%') LIMIT ${RESTARTED_AT_ONCE}`)
    // Between two jumps creation times rise, so the last operation of each stretch answers for all of it.
    const last = (where: string) => `(SELECT created_at FROM operations ${where} ORDER BY id DESC LIMIT 1)`
    this.#anySubmitted = db.prepare(`SELECT 1 WHERE ${last('')} > ?1
      OR EXISTS (SELECT 1 FROM clock_jumps WHERE ${last('WHERE id < first')} > ?1)`)
    this.#submitted = db.prepare(`SELECT id, due_at, since FROM operations WHERE id >= ? AND id < ?
      AND state = 'scheduled' AND waiting = 'first' AND due_at > ? AND due_at <= created_at
      AND (held_by IS NULL OR held_by NOT LIKE '${ENGINE_PREFIX}%') ORDER BY id LIMIT ${RESTARTED_AT_ONCE}`)
  }

  /** Costs next to nothing if no clock went back. Returns how many it repaired. */
  async run(signal?: AbortSignal): Promise<number> {
    let repaired = await this.#repair(after => this.#waits.all(after), signal)
    for (const { from, before } of this.#rangesAhead())
      repaired += await this.#repair(after => this.#submitted.all(from, before, after), signal)
    return repaired
  }

  /** Where operations are that were submitted in the future. */
  #rangesAhead() {
    const after = this.#ledger.time.now() + STEADY_MS
    return this.#ledger.read(db =>
      this.#anySubmitted.get(after) ? rangesOfTime(db, after + 1, Number.POSITIVE_INFINITY) : [],
    )
  }

  /** Repairs what a search finds, in short transactions. What is repaired is not found again. */
  async #repair(find: (after: number) => unknown[], signal: AbortSignal | undefined): Promise<number> {
    for (let repaired = 0; ; ) {
      if (signal?.aborted) return repaired
      const ahead = () => find(this.#ledger.time.now() + STEADY_MS) as Ahead[]
      // Looks before it locks: usually there is nothing to do.
      if (this.#ledger.read(ahead).length === 0) return repaired
      repaired += await this.#ledger.write(() => restartWaits(ahead(), this.#ledger.time))
    }
  }
}
