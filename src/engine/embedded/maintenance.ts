import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { attendedSince } from '../../ledger/record/runners.ts'
import { toId } from '../../ledger/row/rows.ts'
import type { Answers } from '../../ledger/sqlite/answer.ts'
import type { SqliteLedger } from '../../ledger/sqlite/sqlite-ledger.ts'
import type { SqliteTransaction } from '../../ledger/sqlite/sqlite-transaction.ts'
import type { Maintained, MaintainOptions } from '../engine.ts'
import { EXPIRE_AFTER_DEFAULT_MS, PARK_AFTER_DEFAULT_MS } from '../maintenance-bounds.ts'
import { ClockRepair } from './clock-repair.ts'

/** Operations moved in one transaction. */
const STEP = 200

/** Maintenance by time: parks what no runner can run, and expires what was parked too long. */
export class Maintenance {
  readonly #ledger: SqliteLedger
  readonly #names: StatementSync
  readonly #overdue: StatementSync
  readonly #waiting: StatementSync
  readonly #expired: StatementSync
  readonly #clock: ClockRepair
  readonly #answers: Answers

  constructor(ledger: SqliteLedger, db: DatabaseSync, answers: Answers) {
    this.#ledger = ledger
    this.#answers = answers
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
    const before = now - parkAfterMs
    const attended = this.#ledger.read(() => this.#answers.of(attendedSince(before)))
    const lately = new Set([...able, ...attended])
    let parked = 0
    for (const capability of this.#capabilities().filter(name => !lately.has(name))) {
      const reason = `no runner had ${capability} for ${Math.round(parkAfterMs / 60_000)} minutes`
      parked += await this.#step(
        () => this.#overdue.all(capability, before, before),
        each((writes, id) => writes.park(id, { for: 'runner', origin: 'runner', reason })),
        signal,
      )
    }
    let unparked = 0
    for (const capability of able)
      unparked += await this.#step(
        () => this.#waiting.all(capability),
        each((writes, id) =>
          writes.unpark(id, { by: 'runner', reason: 'a runner with its capability is back' }),
        ),
        signal,
      )
    const expired = await this.#step(
      () => this.#expired.all(now - expireAfterMs),
      each((writes, id) =>
        writes.expire(id, `parked for more than ${Math.round(expireAfterMs / 86_400_000)} days`),
      ),
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
    move: (writes: SqliteTransaction, ids: readonly string[]) => number,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    for (let total = 0; ; ) {
      if (signal?.aborted) return total
      const moved = await this.#ledger.transaction(writes =>
        move(
          writes,
          find().map(({ id }) => toId(id as number)),
        ),
      )
      total += moved
      if (moved < STEP) return total
    }
  }
}

/** Moves one after the other; returns how many it could move. */
function each(move: (writes: SqliteTransaction, id: string) => boolean) {
  return (writes: SqliteTransaction, ids: readonly string[]): number =>
    ids.filter(id => move(writes, id)).length
}
