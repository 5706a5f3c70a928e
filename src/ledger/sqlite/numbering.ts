import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** The highest number in use: of an operation or of any other event. */
export const HIGHEST_NUMBER = `max((SELECT coalesce(max(id), 0) FROM operations),
  (SELECT coalesce(max(id), 0) FROM events))`

/**
 * Numbers everything that happens, in one sequence. What the last transaction of this connection knew still holds
 * in the next one, unless another connection wrote in between: SQLite counts that.
 */
export class Numbering {
  readonly #version: StatementSync
  readonly #highest: StatementSync
  #seen: unknown
  #last: number | undefined

  constructor(db: DatabaseSync) {
    this.#version = db.prepare('PRAGMA data_version')
    this.#version.setReturnArrays(true)
    this.#highest = db.prepare(`SELECT ${HIGHEST_NUMBER} AS id`)
  }

  /** To be asked when a transaction begins: true if another connection has written since the last one. */
  isBehind(): boolean {
    const [version] = this.#version.get() as unknown as [number]
    if (version === this.#seen) return false
    this.#seen = version
    this.#last = undefined
    return true
  }

  /** What was numbered since the beginning of the transaction has not happened. */
  rolledBack(): void {
    this.#last = undefined
  }

  /** To be asked for within a transaction, where no other process can take one. Of several, gives the first. */
  next(count = 1): number {
    const first = (this.#last ?? (this.#highest.get() as { id: number }).id) + 1
    this.#last = first + count - 1
    return first
  }
}
