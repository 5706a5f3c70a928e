import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { HIGHEST_NUMBER } from './numbering.ts'

/**
 * Deletes events that no operation needs: those of the queue, of a capability or a provider as a whole, and those of
 * discarded operations. Events of an operation are deleted with it.
 */
export class OldEvents {
  readonly #find: StatementSync
  readonly #forget: StatementSync

  constructor(db: DatabaseSync) {
    // Keeps events that a consumer has not read, and the highest number, which would otherwise be used again.
    const find = `SELECT id FROM events INDEXED BY events_of_none
      WHERE (operation IS NULL OR type = 'discarded') AND at < ?
      AND id <= (SELECT coalesce(min(event), ${Number.MAX_SAFE_INTEGER}) FROM cursors) AND id < ${HIGHEST_NUMBER}
      ORDER BY at LIMIT ?`
    this.#find = db.prepare(find)
    this.#forget = db.prepare(`DELETE FROM events WHERE id IN (${find})`)
  }

  /** Whether there are any older than this time, epoch milliseconds. Takes no lock. */
  isThere(before: number): boolean {
    return this.#find.get(before, 1) !== undefined
  }

  /** Deletes the oldest of them, at most `most`. Call it in a transaction. */
  forget(before: number, most: number): number {
    return Number(this.#forget.run(before, most).changes)
  }
}
