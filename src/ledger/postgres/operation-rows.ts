import type { EventType } from '../event.ts'
import type { Fence, OperationState } from '../operation.ts'
import type { OperationRow } from '../row/operation-row.ts'
import { numberOf } from '../row/rows.ts'
import type { Stale } from '../settlement.ts'
import type { Sql } from './sql.ts'

/** One change of an operation, and its event. */
export interface Change {
  at: number
  type: EventType
  data?: Record<string, unknown> | undefined
  /** Columns that change, as SQL; its values start at $7. `updated_at` and `last_event` always change. */
  set: string
  values?: readonly unknown[]
}

/** Rows of operations, locked when they are read, so that they cannot change before the decision is written. */
export class OperationRows {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** The row, if it exists and is in the given state, if any. */
  async find(id: string, state?: OperationState): Promise<OperationRow | undefined> {
    const row = await this.#sql.row<OperationRow>('SELECT * FROM operations WHERE id = $1 FOR UPDATE', [
      numberOf(id) ?? 0,
    ])
    return state === undefined || row?.state === state ? row : undefined
  }

  /** The row, if exactly this run is still running. */
  async running({ id, run }: Fence): Promise<OperationRow | Stale> {
    const row = await this.find(id)
    if (row?.state === 'running' && row.run === run) return row
    return { settled: false, stale: true, run: row?.run ?? 0 }
  }

  /** Writes a change and its event. Returns the number of the event. */
  async change(
    { id, run, last_event }: Pick<OperationRow, 'id' | 'run' | 'last_event'>,
    { at, type, data, set, values = [] }: Change,
  ): Promise<number> {
    const row = await this.#sql.row<{ event: number }>(
      `WITH told AS (INSERT INTO events (id, at, type, operation, run, previous, data)
        VALUES (nextval('numbers'), $1, $2, $3, $4, $5, $6) RETURNING id)
      UPDATE operations SET updated_at = $1, last_event = (SELECT id FROM told)${set === '' ? '' : `, ${set}`}
      WHERE id = $3 RETURNING last_event AS event`,
      [
        at,
        type,
        id,
        run === 0 ? null : run,
        last_event,
        data === undefined ? null : JSON.stringify(data),
        ...values,
      ],
    )
    return (row as { event: number }).event
  }

  /** Writes an event of the queue, a capability or a provider. Returns its number. */
  async tell(at: number, type: EventType, data: Record<string, unknown>): Promise<number> {
    const row = await this.#sql.row<{ id: number }>(
      `INSERT INTO events (id, at, type, data) VALUES (nextval('numbers'), $1, $2, $3) RETURNING id`,
      [at, type, JSON.stringify(data)],
    )
    return (row as { id: number }).id
  }
}
