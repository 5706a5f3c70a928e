import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Fence } from '../operation.ts'
import type { OperationRow } from '../row/operation-row.ts'
import { numberOf } from '../row/rows.ts'
import type { Stale } from '../settlement.ts'

/** The columns of a running operation's row that the writes of its run depend on. */
export type RunningRow = Pick<
  OperationRow,
  'id' | 'state' | 'run' | 'since' | 'attempts' | 'last_event' | 'cancel_requested'
>

/** Maximum number of cached rows, so that runs whose runner is lost do not pile up. */
const MOST_REMEMBERED = 10_000

/** The rows of running operations: read under the fence of a run, and cached as this connection left them. */
export class RunningRows {
  readonly #row: StatementSync
  /** How this connection last left the rows of its own runs. Verified when they end. */
  readonly #remembered = new Map<number, RunningRow>()

  constructor(db: DatabaseSync) {
    this.#row = db.prepare(
      'SELECT id, state, run, since, attempts, last_event, cancel_requested FROM operations WHERE id = ?',
    )
  }

  /** The row, if exactly this run is still running. */
  of({ id, run }: Fence): RunningRow | Stale {
    const row = this.#row.get(numberOf(id) ?? 0) as unknown as RunningRow | undefined
    if (row?.state === 'running' && row.run === run) return row
    return { settled: false, stale: true, run: row?.run ?? 0 }
  }

  /** Caches how a row was left. */
  leave({ id, state, run, since, attempts, last_event, cancel_requested }: RunningRow): void {
    this.#remembered.set(id, { id, state, run, since, attempts, last_event, cancel_requested })
    // Drop the oldest: a lost runner never ended them.
    if (this.#remembered.size > MOST_REMEMBERED)
      this.#remembered.delete(this.#remembered.keys().next().value as number)
  }

  /** Clears the cache after a rollback: an event number in it may belong to another event now. */
  forget(): void {
    this.#remembered.clear()
  }

  /** How this connection left the row, if it did. Also removes it from the cache, because its run ends. */
  takeLeft({ id }: Fence): RunningRow | undefined {
    const row = this.#remembered.get(numberOf(id) ?? 0)
    if (row) this.#remembered.delete(row.id)
    return row
  }
}
