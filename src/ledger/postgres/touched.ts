import type { Sql } from './sql.ts'

/** An operation that waits for a run. */
export interface Waiting {
  /** Number of the operation. */
  id: number
  capability: string
  /** Number of its last run; 0 before the first. */
  run: number
  /** The negated priority: a lower rank comes first. */
  rank: number
  /** Epoch milliseconds. */
  dueAt: number
}

/** The operations that wait, or stop waiting, because of a transaction: an engine must know them before the commit. */
export class Touched {
  /** New operations, all scheduled. */
  readonly inserted = new Map<number, Waiting>()
  /** Operations with a run that began: their capability and the number of the run. */
  readonly started = new Map<number, { capability: string; run: number }>()
  /** Operations that may have begun to wait, stopped waiting, or changed how they wait. */
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

/** Called inside a transaction that changes which operations wait, at its end. */
export type BeforeCommit = (sql: Sql, touched: Touched) => Promise<void>
