import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { EventType } from '../event.ts'
import type { OperationRow } from './rows.ts'

/** Writes events. Ids are counted here: within a transaction nobody else can add one. */
export class EventLog {
  readonly #last: StatementSync
  readonly #insert: StatementSync
  readonly #insertFirst: StatementSync
  readonly #insertBare: StatementSync
  #id: number | undefined

  constructor(db: DatabaseSync) {
    this.#last = db.prepare('SELECT max(id) AS id FROM events')
    this.#insert = db.prepare(
      'INSERT INTO events (id, at, type, operation, run, previous, data) VALUES (?, ?, ?, ?, ?, ?, ?)',
    )
    // Every value that is bound costs; these two are written more often than all the others together.
    this.#insertFirst = db.prepare(
      `INSERT INTO events (id, at, type, operation) VALUES (?, ?, 'submitted', ?)`,
    )
    this.#insertBare = db.prepare(
      'INSERT INTO events (id, at, type, operation, run, previous) VALUES (?, ?, ?, ?, ?, ?)',
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
  submitted(operation: number, at: number): number {
    const id = this.#next()
    this.#insertFirst.run(id, at, operation)
    return id
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
    const id = this.#next()
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

  #next(): number {
    this.#id ??= (this.#last.get() as { id: number | null }).id ?? 0
    return ++this.#id
  }
}
