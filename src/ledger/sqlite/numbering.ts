import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** The highest number in use, of an operation or any other event. */
export const HIGHEST_NUMBER = `max((SELECT coalesce(max(id), 0) FROM operations),
  (SELECT coalesce(max(id), 0) FROM events))`

/**
 * Numbers everything that happens, in one sequence. The last number of one transaction is still valid in the next,
 * unless another connection wrote in between, which SQLite counts.
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

  /** Call it when a transaction begins: true if another connection has written since the last one. */
  isBehind(): boolean {
    const [version] = this.#version.get() as unknown as [number]
    if (version === this.#seen) return false
    this.#seen = version
    this.#last = undefined
    return true
  }

  /** Discards the numbers of a rolled-back transaction. */
  rolledBack(): void {
    this.#last = undefined
  }

  /** Call it within a transaction, when no other process can take a number. */
  next(): number {
    this.#last = (this.#last ?? (this.#highest.get() as { id: number }).id) + 1
    return this.#last
  }
}
