import type { Sql } from './sql.ts'

/**
 * The number up to which no more events can appear. It never goes back: a transaction that read the last number and takes its
 * lock a moment later names an old number, and a reader that followed it would lose events that were already settled.
 */
export class SettledNumbers {
  #known = 0

  /** The highest number that every open transaction is sure to exceed. */
  async last(sql: Sql, lockClass: number): Promise<number> {
    const { settled, taken } = await settledNumber(sql, lockClass)
    // Numbers go back only if the database was restored from a backup.
    this.#known = taken < this.#known ? settled : Math.max(this.#known, settled)
    return this.#known
  }
}

/**
 * Transactions take numbers when they write and become visible when they commit, in any order: a reader that moved past
 * number 7 would never see a 6 that is committed a moment later. So every transaction begins with a shared lock that names
 * the last number taken so far: all its own numbers are higher. A reader first reads the last number taken, and then the
 * lowest of these locks. Up to the lower of the two, nothing more can appear.
 *
 * Nothing ever waits for such a lock. It is released only after the writes of its transaction are visible.
 *
 * @returns the highest number that every open transaction is sure to exceed, and the last one taken
 */
async function settledNumber(sql: Sql, lockClass: number): Promise<{ settled: number; taken: number }> {
  // Sent in this order, on one connection, they are also answered in it.
  const [row, locks] = await Promise.all([
    sql.row<{ last: number }>('SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS last FROM numbers'),
    sql.rows<{ low: number }>(
      `SELECT objid::bigint AS low FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND classid = $1::bigint::oid
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND granted`,
      [lockClass],
    ),
  ])
  const last = row?.last ?? 0
  // A lock holds the lower 31 bits of its number; no open transaction is two billion behind.
  const lagOf = (low: number) => ((last % LOW_NUMBERS) - low + LOW_NUMBERS) % LOW_NUMBERS
  const settled = locks.reduce((lowest, { low }) => Math.min(lowest, last - lagOf(low)), last)
  return { settled, taken: last }
}

/** How many numbers the lower bits can distinguish. */
const LOW_NUMBERS = 2 ** 31

/** The class of these locks: one for each schema of a database. */
export async function lockClassOf(sql: Sql): Promise<number> {
  const row = await sql.row<{ class: number }>(
    `SELECT hashtext('mulligan:' || current_schema) & ${LOW_NUMBERS - 1} AS class`,
  )
  return (row?.class ?? 0) || 1
}
