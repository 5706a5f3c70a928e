import { answer } from '../../ledger/postgres/answer.ts'
import { DatabaseTime } from '../../ledger/postgres/database-time.ts'
import type { PostgresLedger } from '../../ledger/postgres/postgres-ledger.ts'
import type { PostgresTransaction } from '../../ledger/postgres/postgres-transaction.ts'
import { toId } from '../../ledger/row/rows.ts'
import type { Maintained, MaintainOptions } from '../engine.ts'
import { EXPIRE_AFTER_DEFAULT_MS, PARK_AFTER_DEFAULT_MS } from '../maintenance-bounds.ts'
import { accesses } from '../provider-access.ts'

/** Most operations moved in one transaction. */
const STEP = 200
/** How far the wall clock may drift between two checks without counting as set, in milliseconds. */
const STEADY_MS = 5_000

const WAITS = `state = 'scheduled' AND held_by IS NULL`

/**
 * Timed maintenance: parks operations that no runner can run, expires those parked too long, and frees those still marked as
 * held for an open provider. Hosts that do it at the same time skip each other's rows.
 */
export class Maintenance {
  readonly #ledger: PostgresLedger
  /** Wall clock minus monotonic clock at the last check. */
  #offset = Infinity

  constructor(ledger: PostgresLedger) {
    this.#ledger = ledger
  }

  async run({
    parkAfterMs = PARK_AFTER_DEFAULT_MS,
    expireAfterMs = EXPIRE_AFTER_DEFAULT_MS,
    signal,
  }: MaintainOptions = {}): Promise<Maintained> {
    const repaired = await this.#repairClock(signal)
    await this.#free(signal)
    const runners = await this.#ledger.runners()
    const able = [...new Set(runners.flatMap(({ capabilities }) => capabilities))]
    const now = this.#ledger.time.now()
    const before = now - parkAfterMs
    const parked = await this.#step(
      `SELECT id, capability FROM operations WHERE ${WAITS} AND capability <> ALL($1::text[]) AND due_at < $2 AND since < $2`,
      [able, before],
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

  /** Runners claim held operations of an open provider directly; frees the rest, which must not stay marked as held. */
  async #free(signal: AbortSignal | undefined): Promise<void> {
    const now = this.#ledger.time.now()
    const states = await this.#ledger.read(sql => answer(sql, accesses(now)))
    for (const [provider, { state }] of states)
      if (state === 'open')
        for (let moved = STEP; moved === STEP && !signal?.aborted; )
          moved = await this.#ledger.transaction(async writes => {
            const { sql } = writes
            if ((await answer(sql, accesses(now))).get(provider)?.state !== 'open') return 0
            const rows = await sql.rows<{ id: number }>(
              `SELECT id FROM operations WHERE held_by IS NOT NULL AND held_by = $1 ORDER BY id LIMIT ${STEP}
               FOR UPDATE SKIP LOCKED`,
              [provider],
            )
            return writes.free(rows.map(({ id }) => toId(id)))
          })
  }

  /**
   * Corrects due times that were set while the server's clock was ahead. All hosts follow that clock: if it is set back, due
   * times that are now far in the future move, so that each operation waits as long from now as it was meant to.
   */
  async #repairClock(signal: AbortSignal | undefined): Promise<number> {
    const { time } = this.#ledger
    const newest = await this.#ledger.read(sql =>
      sql.row<{ at: number }>(`SELECT greatest((SELECT created_at FROM operations ORDER BY id DESC LIMIT 1),
        (SELECT at FROM events ORDER BY id DESC LIMIT 1)) AS at`),
    )
    const isAhead = () => (newest?.at ?? 0) > time.now() + STEADY_MS
    const wentBack = () => this.#offset - (time.now() - time.monotonic()) > STEADY_MS
    // A host that slept mistakes its own lag for a changed clock, until it has asked the server.
    if ((isAhead() || wentBack()) && time instanceof DatabaseTime && !(await time.synchronise())) return 0
    const hasToRepair = isAhead() || wentBack()
    this.#offset = time.now() - time.monotonic()
    if (!hasToRepair) return 0
    let repaired = 0
    for (let last = 0, found = STEP; found === STEP && !signal?.aborted; ) {
      const now = time.now()
      found = await this.#ledger.transaction(async writes => {
        const { sql } = writes
        const rows = await sql.rows<{ id: number; due_at: number; since: number }>(
          `SELECT id, due_at, since FROM operations WHERE ${WAITS} AND due_at > $1 AND since > $1 AND id > $2
            AND (run > 0 OR due_at <= created_at) ORDER BY id LIMIT ${STEP} FOR UPDATE`,
          [now + STEADY_MS, last],
        )
        for (const { id, due_at, since } of rows) {
          await writes.edit(toId(id), { dueAt: now + Math.max(0, due_at - since) })
          await sql.run('UPDATE operations SET since = $1 WHERE id = $2', [now, id])
        }
        last = rows.at(-1)?.id ?? last
        return rows.length
      })
      repaired += found
    }
    return repaired
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
