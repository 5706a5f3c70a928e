import type { Sql } from './sql.ts'

/** An operation that waits for a run: which one, and when. */
export interface Waiting {
  /** Number of the operation. */
  id: number
  capability: string
  /** Number of its last run; 0 before the first. */
  run: number
  /** The priority turned around: a smaller one comes first. */
  rank: number
  /** Epoch milliseconds. */
  dueAt: number
}

/** The operations whose waiting a transaction changes: what an engine has to know before it is committed. */
export class Touched {
  /** New ones, all scheduled. */
  readonly inserted = new Map<number, Waiting>()
  /** Those that a run of began, with its number and their capability. */
  readonly started = new Map<number, { capability: string; run: number }>()
  /** Those that may wait now, or wait otherwise, or no more. */
  readonly changed = new Set<number>()

  get isEmpty(): boolean {
    return this.inserted.size === 0 && this.started.size === 0 && this.changed.size === 0
  }

  insert(waiting: Waiting): void {
    this.inserted.set(waiting.id, waiting)
  }

  start(id: number, capability: string, run: number): void {
    this.started.set(id, { capability, run })
  }

  change(id: number): void {
    this.changed.add(id)
  }
}

/** Called at the end of a transaction that changes what waits, within it. */
export type BeforeCommit = (sql: Sql, touched: Touched) => Promise<void>
