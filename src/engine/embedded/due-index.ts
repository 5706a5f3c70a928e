import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { DueRow, DueSource, Group } from '../due-work.ts'

/** Lower than any rank. */
const LOWEST_RANK = -1_000

/**
 * Where due work is. The index has a stretch for each capability, set of providers and priority, ordered by time: who looks
 * jumps from stretch to stretch and reads only due entries, no matter how much is stored, or held.
 */
export class DueIndex implements DueSource {
  readonly #nextRank: StatementSync
  readonly #nextPool: StatementSync
  readonly #first: StatementSync

  constructor(db: DatabaseSync) {
    const due = `FROM operations INDEXED BY operations_due WHERE state = 'scheduled' AND held_by IS NULL
      AND capability = ?`
    // Each of these is one jump. Comparing both columns at once would walk through the whole stretch.
    this.#nextRank = db.prepare(`SELECT min(rank) AS rank ${due} AND provider = ? AND rank > ?`)
    this.#nextPool = db.prepare(`SELECT min(provider) AS pool ${due} AND provider > ?`)
    // With the plus it is an expression: SQLite plans a statement anew each time a bare limit is bound.
    this.#first = db.prepare(
      `SELECT id, due_at ${due} AND provider = ? AND rank = ? ORDER BY due_at LIMIT +?`,
    )
  }

  *groups(capability: string): Iterable<Group> {
    for (let pool: string | null = ''; pool !== null; ) {
      for (let last = LOWEST_RANK; ; ) {
        const { rank } = this.#nextRank.get(capability, pool, last) as { rank: number | null }
        if (rank === null) break
        yield { capability, pool, rank }
        last = rank
      }
      pool = (this.#nextPool.get(capability, pool) as { pool: string | null }).pool
    }
  }

  rows({ capability, pool, rank }: Group, limit: number): DueRow[] {
    return this.#first.all(capability, pool, rank, limit) as unknown as DueRow[]
  }
}
