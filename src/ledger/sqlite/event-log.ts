import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { EventType } from '../event.ts'
import type { OperationRow } from './rows.ts'

/** Writes events. Ids are counted here: within a transaction nobody else can add one. */
export class EventLog {
  readonly #last: StatementSync
  readonly #insert: StatementSync
  #id: number | undefined

  constructor(db: DatabaseSync) {
    this.#last = db.prepare('SELECT max(id) AS id FROM events')
    this.#insert = db.prepare(
      'INSERT INTO events (id, at, type, operation, run, previous, data) VALUES (?, ?, ?, ?, ?, ?, ?)',
    )
  }

  /** A transaction begins: others may have written since the last one. */
  begin(): void {
    this.#id = undefined
  }

  /** Writes what happened to an operation. The caller stores the id as the operation's last event. */
  of(
    row: Pick<OperationRow, 'id' | 'run' | 'last_event'>,
    at: number,
    type: EventType,
    data?: Record<string, unknown>,
  ): number {
    return this.#add(at, type, row.id, row.run === 0 ? null : row.run, row.last_event, data)
  }

  /** The event that an operation begins with. */
  first(operation: number, run: number | null, at: number, type: EventType): number {
    return this.#add(at, type, operation, run, null, undefined)
  }

  /** Writes what happened to the queue, a capability or a provider. */
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
    this.#id ??= (this.#last.get() as { id: number | null }).id ?? 0
    this.#id++
    this.#insert.run(
      this.#id,
      at,
      type,
      operation,
      run,
      previous === 0 ? null : previous,
      data === undefined ? null : JSON.stringify(data),
    )
    return this.#id
  }
}
