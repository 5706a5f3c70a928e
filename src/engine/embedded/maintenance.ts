import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { SqliteLedger } from '../../ledger/sqlite/sqlite-ledger.ts'
import type { SqliteTransaction } from '../../ledger/sqlite/sqlite-transaction.ts'
import type { Maintained, MaintainOptions } from '../engine.ts'
import { ClockRepair } from './clock-repair.ts'

/** How long an operation is due without a runner before it is parked, in milliseconds: 1 h. */
export const PARK_AFTER_DEFAULT_MS = 3_600_000
/** How long an operation stays parked before it expires, in milliseconds: 30 days. */
export const EXPIRE_AFTER_DEFAULT_MS = 30 * 86_400_000
/** Operations moved in one transaction. */
const STEP = 200

/** Housekeeping by time: what no runner can run is parked for one, what was parked too long expires. */
export class Maintenance {
  readonly #ledger: SqliteLedger
  readonly #names: StatementSync
  readonly #overdue: StatementSync
  readonly #waiting: StatementSync
  readonly #expired: StatementSync
  readonly #clock: ClockRepair

  constructor(ledger: SqliteLedger, db: DatabaseSync) {
    this.#ledger = ledger
    this.#clock = new ClockRepair(ledger, db)
    const due = `FROM operations INDEXED BY operations_due WHERE state = 'scheduled' AND held_by IS NULL`
    this.#names = db.prepare(`SELECT min(capability) AS name ${due} AND capability > ?`)
    this.#overdue = db.prepare(
      `SELECT id ${due} AND capability = ? AND due_at < ? AND since < ? LIMIT ${STEP}`,
    )
    this.#waiting = db.prepare(
      `SELECT id FROM operations WHERE parked_for = 'runner' AND capability = ? LIMIT ${STEP}`,
    )
    this.#expired = db.prepare(
      `SELECT id FROM operations WHERE parked_for IS NOT NULL AND since < ? LIMIT ${STEP}`,
    )
  }

  async run({
    parkAfterMs = PARK_AFTER_DEFAULT_MS,
    expireAfterMs = EXPIRE_AFTER_DEFAULT_MS,
    signal,
  }: MaintainOptions = {}): Promise<Maintained> {
    const repaired = await this.#clock.run(signal)
    const runners = await this.#ledger.runners()
    const able = new Set(runners.flatMap(({ capabilities }) => capabilities))
    const now = this.#ledger.time.now()
    let parked = 0
    for (const capability of this.#capabilities().filter(name => !able.has(name))) {
      const reason = `no runner had ${capability} for ${Math.round(parkAfterMs / 60_000)} minutes`
      const before = now - parkAfterMs
      parked += await this.#step(
        () => this.#overdue.all(capability, before, before),
        (writes, id) => writes.park(id, { for: 'runner', origin: 'runner', reason }),
        signal,
      )
    }
    let unparked = 0
    for (const capability of able)
      unparked += await this.#step(
        () => this.#waiting.all(capability),
        (writes, id) => writes.unpark(id, { by: 'runner', reason: 'a runner with its capability is back' }),
        signal,
      )
    const expired = await this.#step(
      () => this.#expired.all(now - expireAfterMs),
      (writes, id) =>
        writes.expire(id, `parked for more than ${Math.round(expireAfterMs / 86_400_000)} days`),
      signal,
    )
    return { parked, unparked, expired, repaired }
  }

  #capabilities(): string[] {
    const names: string[] = []
    for (let name: string | null = ''; ; ) {
      name = (this.#names.get(name) as { name: string | null }).name
      if (name === null) return names
      names.push(name)
    }
  }

  async #step(
    find: () => { id?: unknown }[],
    move: (writes: SqliteTransaction, id: string) => boolean,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    for (let total = 0; ; ) {
      if (signal?.aborted) return total
      const moved = await this.#ledger.transaction(
        writes => find().filter(row => move(writes, `op_${row.id}`)).length,
      )
      total += moved
      if (moved < STEP) return total
    }
  }
}
