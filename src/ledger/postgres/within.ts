import { Collision } from '../collision.ts'
import { LedgerError } from '../error.ts'
import type { SqlClient } from '../ledger.ts'
import { channelOf } from './change-notice.ts'
import { type Database, MOST_COLLISIONS } from './database.ts'
import { firstError } from './postgres-error.ts'
import { type Sql, sqlOn } from './sql.ts'

/** Works inside a transaction of the caller. On failure only this work is rolled back, and the caller's transaction continues. */
export async function withinTransactionOf<T>(
  client: SqlClient,
  { lockClass, place }: Database,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  const path = await begin(client)
  for (let collisions = 0; ; ) {
    const sql = sqlOn(client, { keepsPlans: false })
    const setPath = (to: string) => sql.run("SELECT set_config('search_path', $1, true)", [to])
    try {
      await setPath(place.schema)
      await sql.exec(
        `SELECT pg_advisory_xact_lock_shared(${lockClass}, (CASE WHEN is_called THEN last_value ELSE 0 END & 2147483647)::int) FROM numbers`,
      )
      const value = await work(sql)
      await sql.sent()
      // Sent when the caller commits.
      await sql.run('SELECT pg_notify($1, $2)', [channelOf(place.schema), 'within'])
      await setPath(path)
      await sql.exec('RELEASE SAVEPOINT mulligan')
      return value
    } catch (error) {
      const first = await firstError(sql, error)
      await sql.exec('ROLLBACK TO SAVEPOINT mulligan').catch(() => {})
      if (first instanceof Collision && ++collisions < MOST_COLLISIONS) continue
      await sql.exec('RELEASE SAVEPOINT mulligan').catch(() => {})
      throw first
    }
  }
}

/** Sets a savepoint in the caller's transaction. Returns the caller's search path. */
async function begin(client: SqlClient): Promise<string> {
  const sql = sqlOn(client, { keepsPlans: false })
  try {
    await sql.exec('SAVEPOINT mulligan')
  } catch (error) {
    if ((error as { code?: string }).code !== '25P01') throw error
    throw new LedgerError(
      'invalid',
      'client is not in a transaction: run BEGIN on it first, and COMMIT afterwards',
      { cause: error },
    )
  }
  const row = await sql.row<{ path: string }>("SELECT current_setting('search_path') AS path")
  return row?.path ?? 'public'
}
