import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { EventType } from '../event.ts'
import type { OperationRow } from '../row/operation-row.ts'
import type { Numbering } from './numbering.ts'

/** Writes events, except the submission of an operation, which is implied by its row. */
export class EventLog {
  readonly #numbering: Numbering
  readonly #insert: StatementSync
  readonly #insertBare: StatementSync

  constructor(db: DatabaseSync, numbering: Numbering) {
    this.#numbering = numbering
    this.#insert = db.prepare(
      'INSERT INTO events (id, at, type, operation, run, previous, data) VALUES (?, ?, ?, ?, ?, ?, ?)',
    )
    // Every bound value costs time, and most events have no data.
    this.#insertBare = db.prepare(
      'INSERT INTO events (id, at, type, operation, run, previous) VALUES (?, ?, ?, ?, ?, ?)',
    )
  }

  /** Writes an event of an operation. The caller stores the id as the operation's last event. */
  of(
    row: Pick<OperationRow, 'id' | 'run' | 'last_event'>,
    at: number,
    type: EventType,
    data?: Record<string, unknown>,
  ): number {
    return this.#add(at, type, row.id, row.run === 0 ? null : row.run, row.last_event, data)
  }

  /** Reserves a number for an event that is written later in the same transaction. */
  next(): number {
    return this.#numbering.next()
  }

  /** Writes an event of an operation under a reserved number. */
  write(
    id: number,
    row: Pick<OperationRow, 'id' | 'run' | 'last_event'>,
    at: number,
    type: EventType,
    data: Record<string, unknown>,
  ): void {
    this.#insert.run(id, at, type, row.id, row.run, row.last_event, JSON.stringify(data))
  }

  /** Writes an event of the queue, a capability or a provider. */
  general(at: number, type: EventType, data: Record<string, unknown>): number {
    return this.#add(at, type, null, null, null, data)
  }

  #add(
    at: number,
    type: EventType,
    operation: number | null,
    run: number | null,
    previous: number | null,
    data: Record<string, unknown> | undefined,
  ): number {
    const id = this.#numbering.next()
    if (data === undefined && operation !== null) this.#insertBare.run(id, at, type, operation, run, previous)
    else
      this.#insert.run(
        id,
        at,
        type,
        operation,
        run,
        previous,
        data === undefined ? null : JSON.stringify(data),
      )
    return id
  }
}
