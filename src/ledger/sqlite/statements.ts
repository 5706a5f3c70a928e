import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** Statements prepared on first use: most processes need few of them. */
export class Statements {
  readonly #db: DatabaseSync
  readonly #prepared = new Map<string, StatementSync>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  /** The statement with this text. */
  of(sql: string): StatementSync {
    let statement = this.#prepared.get(sql)
    if (!statement) {
      statement = this.#db.prepare(sql)
      this.#prepared.set(sql, statement)
    }
    return statement
  }
}
