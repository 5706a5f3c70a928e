import type { Sql } from './sql.ts'

/**
 * Transactions take their numbers when they write and are seen when they commit, in whatever order: a reader that moved on
 * from number 7 would never see the 6 that is committed a moment later. Therefore every transaction begins by a shared lock
 * that names the last number that was taken by then: all it takes are higher. A reader asks first which number was taken
 * last, and then for the lowest of these locks. Up to the lower of the two, everything that is going to be there is there.
 *
 * Nobody waits for such a lock. A lock is gone only after what it stood for can be seen.
 *
 * @returns the last number that no transaction under way can come below
 */
export async function settledNumber(sql: Sql, lockClass: number): Promise<number> {
  const taken = await sql.row<{ last: number }>(
    'SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS last FROM numbers',
  )
  const last = taken?.last ?? 0
  const locks = await sql.rows<{ low: number }>(
    `SELECT objid::bigint AS low FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND classid = $1::bigint::oid
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND granted`,
    [lockClass],
  )
  // A lock holds the lower bits of its number; none under way is two thousand million behind.
  const behind = (low: number) => ((last % LOW_NUMBERS) - low + LOW_NUMBERS) % LOW_NUMBERS
  return locks.reduce((lowest, { low }) => Math.min(lowest, last - behind(low)), last)
}

/** Numbers that the lower bits of one can tell apart. */
const LOW_NUMBERS = 2 ** 31

/** The class of those locks: one for each schema of a database. */
export async function lockClassOf(sql: Sql): Promise<number> {
  const row = await sql.row<{ class: number }>(
    `SELECT hashtext('mulligan:' || current_schema) & ${LOW_NUMBERS - 1} AS class`,
  )
  return (row?.class ?? 0) || 1
}
