import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { toId } from '../../ledger/row/rows.ts'
import type { SqliteLedger } from '../../ledger/sqlite/sqlite-ledger.ts'

/** Largest difference that does not count as a jump, in milliseconds. */
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
  newest: number
}

/**
 * Repairs waits that began while the wall clock was ahead, once it is back. Operations that were never tried and were
 * due at once become due again; a wait after a try gets its intended length. Operations submitted for a certain time
 * keep that time.
 */
export class ClockRepair {
  readonly #ledger: SqliteLedger
  readonly #ahead: StatementSync
  readonly #since: StatementSync
  readonly #signs: StatementSync
  /** How far the wall clock was ahead of the monotonic one at the last look. */
  #offset = Infinity
  /** Number of clock jumps, of any process, known at the last look. */
  #jumps = -1

  constructor(ledger: SqliteLedger, db: DatabaseSync) {
    this.#ledger = ledger
    // The newest submission may itself be from the future; if another came after it, that is a jump. So may one of the
    // last events: of a run that read the clock while it was ahead, and settled after the repair, while others went on.
    this.#signs = db.prepare(`SELECT (SELECT count(*) FROM clock_jumps) AS jumps,
      max(ifnull((SELECT created_at FROM operations ORDER BY id DESC LIMIT 1), 0),
        ifnull((SELECT max(at) FROM (SELECT at FROM events ORDER BY id DESC LIMIT 1000)), 0)) AS newest`)
    this.#since = db.prepare('UPDATE operations SET since = ? WHERE id = ?')
    this.#ahead = db.prepare(`SELECT id, run, due_at, since FROM operations INDEXED BY operations_due
      WHERE state = 'scheduled' AND held_by IS NULL AND due_at > ?1 AND since > ?1 AND id > ?2
        AND (run > 0 OR due_at <= created_at) ORDER BY id LIMIT ${STEP}`)
  }

  /** Searches everything that waits, but only if there is a sign that a clock went back. Returns how many it repaired. */
  async run(signal?: AbortSignal): Promise<number> {
    const { time } = this.#ledger
    const offset = time.now() - time.monotonic()
    const { jumps, newest } = this.#ledger.read(() => this.#signs.get()) as unknown as Signs
    const isAhead = newest > time.now() + STEADY_MS
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
