import { answer } from '../../ledger/postgres/answer.ts'
import type { PostgresLedger } from '../../ledger/postgres/postgres-ledger.ts'
import type { PostgresTransaction } from '../../ledger/postgres/postgres-transaction.ts'
import { attendedSince } from '../../ledger/record/runners.ts'
import { toId } from '../../ledger/row/rows.ts'
import type { Maintained, MaintainOptions } from '../engine.ts'
import { EXPIRE_AFTER_DEFAULT_MS, PARK_AFTER_DEFAULT_MS } from '../maintenance-bounds.ts'
import { ClockRepair } from './clock-repair.ts'

/** Most operations moved in one transaction. */
const STEP = 200

const WAITS = `state = 'scheduled' AND held_by IS NULL`

/**
 * Timed maintenance: parks operations that no runner can run, and expires those parked too long. Hosts that do it at the same time
 * skip each other's rows.
 */
export class Maintenance {
  readonly #ledger: PostgresLedger
  readonly #clock: ClockRepair

  constructor(ledger: PostgresLedger) {
    this.#ledger = ledger
    this.#clock = new ClockRepair(ledger)
  }

  async run({
    parkAfterMs = PARK_AFTER_DEFAULT_MS,
    expireAfterMs = EXPIRE_AFTER_DEFAULT_MS,
    signal,
  }: MaintainOptions = {}): Promise<Maintained> {
    const repaired = await this.#clock.run(signal)
    const runners = await this.#ledger.runners()
    const able = [...new Set(runners.flatMap(({ capabilities }) => capabilities))]
    const now = this.#ledger.time.now()
    const before = now - parkAfterMs
    const attended = await this.#ledger.read(sql => answer(sql, attendedSince(before)))
    const parked = await this.#step(
      `SELECT id, capability FROM operations WHERE ${WAITS} AND capability <> ALL($1::text[]) AND due_at < $2 AND since < $2`,
      [[...able, ...attended], before],
      (writes, { id, capability }) =>
        writes.park(toId(id), {
          for: 'runner',
          origin: 'runner',
          reason: `no runner had ${capability} for ${Math.round(parkAfterMs / 60_000)} minutes`,
        }),
      signal,
    )
    const unparked = await this.#step(
      `SELECT id, capability FROM operations WHERE parked_for IS NOT NULL AND parked_for = 'runner'
        AND capability = ANY($1::text[])`,
      [able],
      (writes, { id }) =>
        writes.unpark(toId(id), { by: 'runner', reason: 'a runner with its capability is back' }),
      signal,
    )
    const expired = await this.#step(
      'SELECT id, capability FROM operations WHERE parked_for IS NOT NULL AND since < $1',
      [now - expireAfterMs],
      (writes, { id }) =>
        writes.expire(toId(id), `parked for more than ${Math.round(expireAfterMs / 86_400_000)} days`),
      signal,
    )
    return { parked, unparked, expired, repaired }
  }

  async #step(
    find: string,
    values: readonly unknown[],
    move: (writes: PostgresTransaction, row: { id: number; capability: string }) => Promise<boolean>,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    for (let total = 0; ; ) {
      if (signal?.aborted) return total
      // Looks first without a transaction: usually there is nothing to do.
      const some = await this.#ledger.read(sql => sql.row(`${find} LIMIT 1`, values))
      if (!some) return total
      const moved = await this.#ledger.transaction(async writes => {
        const rows = await writes.sql.rows<{ id: number; capability: string }>(
          `${find} ORDER BY id LIMIT ${STEP} FOR UPDATE SKIP LOCKED`,
          values,
        )
        let count = 0
        for (const row of rows) if (await move(writes, row)) count++
        return count
      })
      total += moved
      if (moved < STEP) return total
    }
  }
}
