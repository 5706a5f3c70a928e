import type { Sql } from '../../ledger/postgres/sql.ts'

/** Claims within limits take turns, until they commit: none may come between counting what runs and taking more. */
export async function takeTurns(sql: Sql): Promise<void> {
  await sql.run("SELECT pg_advisory_xact_lock(hashtextextended(current_schema || ':claims', 4))")
}
