import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { toId } from '../../ledger/row/rows.ts'
import type { SqliteLedger } from '../../ledger/sqlite/sqlite-ledger.ts'

/** A difference that is no jump, in milliseconds. */
const STEADY_MS = 1_000
/** Operations moved in one transaction. */
const STEP = 200

interface Ahead {
  id: number
  run: number
  due_at: number
  since: number
}

interface Signs {
  jumps: number
  newest: number | null
}

/**
 * Repairs waits that began while the wall clock was ahead, once it is back: what was never tried and was due at once is
 * due again, and a wait after a try gets its intended length. What was submitted for a certain time keeps that time.
 */
export class ClockRepair {
  readonly #ledger: SqliteLedger
  readonly #ahead: StatementSync
  readonly #since: StatementSync
  readonly #signs: StatementSync
  /** How far the wall clock was ahead of the steady one when it was last looked at. */
  #offset = Infinity
  /** Jumps of any process's clock that were known then. */
  #jumps = -1

  constructor(ledger: SqliteLedger, db: DatabaseSync) {
    this.#ledger = ledger
    // The newest submission may be from the future itself; if one came after it, that is a jump.
    this.#signs = db.prepare(`SELECT (SELECT count(*) FROM clock_jumps) AS jumps,
      (SELECT created_at FROM operations ORDER BY id DESC LIMIT 1) AS newest`)
    this.#since = db.prepare('UPDATE operations SET since = ? WHERE id = ?')
    this.#ahead = db.prepare(`SELECT id, run, due_at, since FROM operations INDEXED BY operations_due
      WHERE state = 'scheduled' AND held_by IS NULL AND due_at > ?1 AND since > ?1 AND id > ?2
        AND (run > 0 OR due_at <= created_at) ORDER BY id LIMIT ${STEP}`)
  }

  /** Looks through all that waits, but only where there is a sign that a clock went back. Gives how many it repaired. */
  async run(signal?: AbortSignal): Promise<number> {
    const { time } = this.#ledger
    const offset = time.now() - time.monotonic()
    const { jumps, newest } = this.#ledger.read(() => this.#signs.get()) as unknown as Signs
    const isAhead = newest !== null && newest > time.now() + STEADY_MS
    if (this.#offset - offset <= STEADY_MS && jumps === this.#jumps && !isAhead) {
      this.#offset = offset
      return 0
    }
    let repaired = 0
    for (let last = 0; !signal?.aborted; ) {
      const now = time.now()
      const found = await this.#ledger.transaction(writes => {
        const rows = this.#ahead.all(now + STEADY_MS, last) as unknown as Ahead[]
        for (const { id, due_at, since } of rows) {
          writes.edit(toId(id), { dueAt: now + Math.max(0, due_at - since) })
          this.#since.run(now, id)
        }
        return rows
      })
      repaired += found.length
      last = found.at(-1)?.id ?? last
      if (found.length < STEP) {
        this.#offset = offset
        this.#jumps = jumps
        break
      }
    }
    return repaired
  }
}
