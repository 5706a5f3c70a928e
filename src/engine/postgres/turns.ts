import type { Sql } from '../../ledger/postgres/sql.ts'

/**
 * Claims that depend on provider access take turns with transactions that open a provider, until they commit. Otherwise a claim
 * that found every provider of an operation closed would hold it for one of them while another opens.
 */
export async function takeTurns(sql: Sql): Promise<void> {
  await sql.run("SELECT pg_advisory_xact_lock(hashtextextended(current_schema || ':claims', 4))")
}
