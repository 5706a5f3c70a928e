import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Attempt } from '../attempt.ts'
import { MOST_ATTEMPTS } from '../attempt.ts'
import type { EventQuery, LedgerEvent } from '../event.ts'
import type { Operation } from '../operation.ts'
import {
  type AttemptRow,
  attemptRowId,
  type EventRow,
  numberOf,
  type OperationRow,
  toAttempt,
  toEvent,
  toOperation,
} from './rows.ts'

const EVENTS_DEFAULT = 500

/** Reads that touch a few rows by their ids: cheap enough for the main thread. */
export class Reads {
  readonly #db: DatabaseSync
  readonly #get: StatementSync
  readonly #find: StatementSync
  readonly #attempts: StatementSync
  readonly #event: StatementSync
  readonly #events: StatementSync
  readonly #last: StatementSync
  readonly #nextCapability: StatementSync
  readonly #nextProvider: StatementSync
  readonly #nextRank: StatementSync
  readonly #firstDue: StatementSync

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#get = db.prepare('SELECT * FROM operations WHERE id = ?')
    this.#find = db.prepare(
      'SELECT o.* FROM keys k JOIN operations o ON o.id = k.operation WHERE k.capability = ? AND k.key = ?',
    )
    this.#attempts = db.prepare('SELECT * FROM attempts WHERE id BETWEEN ? AND ? ORDER BY id')
    this.#event = db.prepare('SELECT * FROM events WHERE id = ?')
    this.#events = db.prepare('SELECT * FROM events WHERE id > ? ORDER BY id LIMIT ?')
    this.#last = db.prepare('SELECT coalesce(max(id), 0) AS id FROM events')
    const due = `FROM operations INDEXED BY operations_due WHERE state = 'scheduled' AND held_by IS NULL`
    this.#nextCapability = db.prepare(`SELECT min(capability) AS name ${due} AND capability > ?`)
    this.#nextProvider = db.prepare(`SELECT min(provider) AS name ${due} AND capability = ? AND provider > ?`)
    this.#nextRank = db.prepare(
      `SELECT min(rank) AS rank ${due} AND capability = ? AND provider = ? AND rank > ?`,
    )
    this.#firstDue = db.prepare(
      `SELECT min(due_at) AS at ${due} AND capability = ? AND provider = ? AND rank = ?`,
    )
  }

  get(id: string): Operation | undefined {
    const row = this.#get.get(numberOf(id) ?? 0) as unknown as OperationRow | undefined
    return row && toOperation(row)
  }

  find(capability: string, key: string): Operation | undefined {
    const row = this.#find.get(capability, key) as unknown as OperationRow | undefined
    return row && toOperation(row)
  }

  attempts(id: string): Attempt[] {
    const number = numberOf(id) ?? 0
    const rows = this.#attempts.all(attemptRowId(number, 0), attemptRowId(number, MOST_ATTEMPTS))
    return (rows as unknown as AttemptRow[]).map(toAttempt)
  }

  /** Walks back from the last event to the first. */
  timeline(id: string): LedgerEvent[] {
    const row = this.#get.get(numberOf(id) ?? 0) as unknown as OperationRow | undefined
    const events: LedgerEvent[] = []
    for (let next = row?.last_event ?? null; next !== null; ) {
      const event = this.#event.get(next) as unknown as EventRow
      events.push(toEvent(event))
      next = event.previous
    }
    return events.reverse()
  }

  events({ after = 0, limit = EVENTS_DEFAULT, types }: EventQuery): LedgerEvent[] {
    const rows = types
      ? this.#db
          .prepare(
            `SELECT * FROM events WHERE id > ? AND type IN (${types.map(() => '?').join(', ')}) ORDER BY id LIMIT ?`,
          )
          .all(after, ...types, limit)
      : this.#events.all(after, limit)
    return (rows as unknown as EventRow[]).map(toEvent)
  }

  lastEvent(): number {
    return (this.#last.get() as { id: number }).id
  }

  /** The first of each stretch of the due index: as many steps as there are capabilities, providers and ranks. */
  nextDueAt(): number | undefined {
    let first: number | undefined
    for (const [capability, provider, rank] of this.#groups()) {
      const { at } = this.#firstDue.get(capability, provider, rank) as { at: number }
      if (first === undefined || at < first) first = at
    }
    return first
  }

  *#groups(): Iterable<[string, string, number]> {
    type Name = { name: string | null }
    for (let capability = (this.#nextCapability.get('') as Name).name; capability !== null; ) {
      for (let provider: string | null = ''; provider !== null; ) {
        for (let last = -1_000; ; ) {
          const { rank } = this.#nextRank.get(capability, provider, last) as { rank: number | null }
          if (rank === null) break
          yield [capability, provider, rank]
          last = rank
        }
        provider = (this.#nextProvider.get(capability, provider) as Name).name
      }
      capability = (this.#nextCapability.get(capability) as Name).name
    }
  }
}
