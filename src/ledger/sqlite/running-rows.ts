import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Fence } from '../operation.ts'
import type { OperationRow } from '../row/operation-row.ts'
import { numberOf } from '../row/rows.ts'
import type { Stale } from '../settlement.ts'

/** What of a running operation's row the writes of its run depend on. */
export type RunningRow = Pick<
  OperationRow,
  'id' | 'state' | 'run' | 'since' | 'attempts' | 'last_event' | 'cancel_requested'
>

/** Runs of this connection whose rows are remembered at most; those of a runner that lost them must not pile up. */
const MOST_REMEMBERED = 10_000

/** The rows of operations that run: asked for under the fence of a run, and remembered as this connection left them. */
export class RunningRows {
  readonly #row: StatementSync
  /** How the rows of this connection's own runs were last left. Whether they still are is asked when they end. */
  readonly #remembered = new Map<number, RunningRow>()

  constructor(db: DatabaseSync) {
    this.#row = db.prepare(
      'SELECT id, state, run, since, attempts, last_event, cancel_requested FROM operations WHERE id = ?',
    )
  }

  /** The row, if this very run still runs. */
  of({ id, run }: Fence): RunningRow | Stale {
    const row = this.#row.get(numberOf(id) ?? 0) as unknown as RunningRow | undefined
    if (row?.state === 'running' && row.run === run) return row
    return { settled: false, stale: true, run: row?.run ?? 0 }
  }

  /** Remembers how a row was left. */
  leave({ id, state, run, since, attempts, last_event, cancel_requested }: RunningRow): void {
    this.#remembered.set(id, { id, state, run, since, attempts, last_event, cancel_requested })
    // The oldest go: they are those that a lost runner never ended.
    if (this.#remembered.size > MOST_REMEMBERED)
      this.#remembered.delete(this.#remembered.keys().next().value as number)
  }

  /** What was written last did not happen: a number that it took may be another event's now. */
  forget(): void {
    this.#remembered.clear()
  }

  /** How the row was left, if that was here; it is forgotten by asking, because its run ends. */
  takeLeft({ id }: Fence): RunningRow | undefined {
    const row = this.#remembered.get(numberOf(id) ?? 0)
    if (row) this.#remembered.delete(row.id)
    return row
  }
}
