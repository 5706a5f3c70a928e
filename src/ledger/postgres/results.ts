import type { ResultStore } from '../result-store.ts'
import { numberOf, toId } from '../row/rows.ts'
import type { Database } from './database.ts'

/** The largest result that is kept in the database, in bytes of JSON: 64 MiB. The server holds it in memory whole. */
const MOST_BYTES = 67_108_864

/** Large results in a table of their own: a list of operations must not read them. */
export class PostgresResults implements ResultStore {
  readonly mostBytes = MOST_BYTES
  readonly #database: Pick<Database, 'read' | 'transaction'>

  constructor(database: Pick<Database, 'read' | 'transaction'>) {
    this.#database = database
  }

  async keep(operation: string, run: number, json: string): Promise<void> {
    const id = numberOf(operation) ?? 0
    await this.#database.transaction(async sql => {
      await sql.run('DELETE FROM results WHERE operation = $1 AND run < $2', [id, run])
      await sql.run(
        `INSERT INTO results (operation, run, json) VALUES ($1, $2, $3)
         ON CONFLICT (operation, run) DO UPDATE SET json = excluded.json`,
        [id, run, json],
      )
    })
  }

  /** All of them, one in memory at a time. */
  async *all(): AsyncGenerator<{ operation: string; run: number; json: string }> {
    for (let last = { operation: 0, run: 0 }; ; ) {
      const found = await this.#database.read(sql =>
        sql.row<{ operation: number; run: number; json: string }>(
          'SELECT * FROM results WHERE (operation, run) > ($1, $2) ORDER BY operation, run LIMIT 1',
          [last.operation, last.run],
        ),
      )
      if (!found) return
      last = found
      yield { ...found, operation: toId(found.operation) }
    }
  }

  async kept(operation: string, run: number): Promise<string | undefined> {
    const found = await this.#database.read(sql =>
      sql.row<{ json: string }>('SELECT json FROM results WHERE operation = $1 AND run = $2', [
        numberOf(operation) ?? 0,
        run,
      ]),
    )
    return found?.json
  }
}
