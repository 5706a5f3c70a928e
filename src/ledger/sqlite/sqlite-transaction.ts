import type { DatabaseSync } from 'node:sqlite'
import type { Time } from '../../time/time.ts'
import { LedgerError, TRANSACTION_OVER } from '../error.ts'
import type { Inserted, LedgerTransaction, Started } from '../ledger.ts'
import type { Fence, NewOperation } from '../operation.ts'
import type { Asking } from '../record/asking.ts'
import { RecordWrites } from '../record/record-writes.ts'
import { numberOf } from '../row/rows.ts'
import type { Settled, Settlement } from '../settlement.ts'
import { Answers } from './answer.ts'
import { EventLog } from './event-log.ts'
import { Insertions } from './insertions.ts'
import { Numbering } from './numbering.ts'
import { Runs } from './runs.ts'

/** The writes of a transaction on SQLite, all synchronous. Statements are prepared once per connection. */
export class SqliteTransaction extends RecordWrites<'now'> implements LedgerTransaction {
  /** The connection, for an engine's own tables. */
  readonly db: DatabaseSync
  /** Answers the questions of records. */
  readonly answers: Answers
  readonly #numbering: Numbering
  readonly #insertions: Insertions
  readonly #runs: Runs

  constructor(db: DatabaseSync, time: Time) {
    super(time)
    this.db = db
    this.#numbering = new Numbering(db)
    const events = new EventLog(db, this.#numbering)
    this.#insertions = new Insertions(db, time, this.#numbering)
    this.#runs = new Runs(db, time, events)
    this.answers = new Answers(db, events, operation => this.#runs.changed(operation))
  }

  /** Begins a transaction: state cached from the last one may have changed. */
  begin(): void {
    if (this.#numbering.isBehind()) this.#insertions.forget()
  }

  /** Discards everything cached by the rolled-back transaction. */
  rolledBack(): void {
    this.#numbering.rolledBack()
    this.#insertions.forget()
    this.#runs.forget()
  }

  insert(operations: readonly NewOperation[]): Inserted[] {
    return this.#insertions.insert(operations)
  }

  start(id: string, takeover?: { runner: string }): Started | undefined {
    if (takeover) return this.takeOver(id, takeover.runner)
    return this.#runs.startAll([numberOf(id) ?? 0])[0]
  }

  /** Moves all scheduled ones among these to running. */
  startAll(numbers: readonly number[]): Started[] {
    return this.#runs.startAll(numbers)
  }

  override settle(fence: Fence, settlement: Settlement): Settled {
    return this.#runs.succeed(fence, settlement) ?? super.settle(fence, settlement)
  }

  protected ask<T>(questions: () => Asking<T>): T {
    return this.answers.of(questions())
  }
}

/**
 * The same writes, but refused outside a transaction: asynchronous work continues after it was refused, and would
 * otherwise store its later writes without the rest.
 */
export function onlyInside<T extends object>(writes: T, db: DatabaseSync): T {
  const bound = new Map<PropertyKey, unknown>()
  return new Proxy(writes, {
    get(target, name) {
      if (!db.isOpen || !db.isTransaction) throw new LedgerError('invalid', TRANSACTION_OVER)
      const known = bound.get(name)
      if (known !== undefined) return known
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      const method = value.bind(target)
      bound.set(name, method)
      return method
    },
  })
}
