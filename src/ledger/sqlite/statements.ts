import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** Statements that are prepared when they are first needed: most processes need few of them. */
export class Statements {
  readonly #db: DatabaseSync
  readonly #prepared = new Map<string, StatementSync>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  /** The statement of this text. */
  of(sql: string): StatementSync {
    let statement = this.#prepared.get(sql)
    if (!statement) {
      statement = this.#db.prepare(sql)
      this.#prepared.set(sql, statement)
    }
    return statement
  }
}
