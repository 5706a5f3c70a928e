import type { Sql } from '../../ledger/postgres/sql.ts'

/** Name of the setting with the time of the last repair, epoch milliseconds. */
const REPAIRED_AT = 'engine.repaired_at'
/** Time between two repairs of what all hosts share, in milliseconds. */
const REPAIR_EVERY_MS = 600_000

/** A time in the future is of a clock that was set back since. */
const TAKE = `INSERT INTO settings AS s (name, value) VALUES ($1, $2::bigint::text)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE s.value::bigint NOT BETWEEN $2 - ${REPAIR_EVERY_MS} AND $2`

/**
 * Whether it is time to repair, and this host's turn: a repair reads everything that waits, so one host does it for all.
 * Returns true to only one of them.
 */
export async function takeRepairTurn(sql: Sql, now: number): Promise<boolean> {
  return (await sql.run(TAKE, [REPAIRED_AT, now])) > 0
}
