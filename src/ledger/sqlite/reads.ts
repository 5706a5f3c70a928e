import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { EventQuery, LedgerEvent } from '../event.ts'
import type { OperationFilter } from '../filter.ts'
import { type EventColumns, eventOf } from '../row/rows.ts'
import { HIGHEST_NUMBER } from './numbering.ts'

const EVENTS_DEFAULT = 500
/** Events among which a search for a type takes a few milliseconds. */
const LONG_SEARCH = 20_000
/** What happened after ?1, from both tables that record it; each is ordered by number, so they can be merged. */
const EVENTS = 'SELECT id, at, type, operation, run, previous, data FROM events WHERE id > ?1'
const SUBMISSIONS = `SELECT id, created_at AS at, 'submitted' AS type, id AS operation, NULL AS run,
  NULL AS previous, NULL AS data FROM operations WHERE id > ?1`

/** An expression, because SQLite plans a statement again each time a bare limit is bound, which costs more than running it. */
const MOST = 'LIMIT +?2'

/** Reads of events: cheap enough for the main thread. */
export class Reads {
  readonly #events: StatementSync
  readonly #eventsOf: StatementSync
  readonly #eventsBut: StatementSync
  readonly #last: StatementSync
  readonly #lastRecorded: StatementSync

  constructor(db: DatabaseSync) {
    this.#events = db.prepare(`${EVENTS} UNION ALL ${SUBMISSIONS} ORDER BY id ${MOST}`)
    const some = `${EVENTS} AND type IN (SELECT value FROM json_each(?3))`
    this.#eventsOf = db.prepare(`${some} UNION ALL ${SUBMISSIONS} ORDER BY id ${MOST}`)
    this.#eventsBut = db.prepare(`${some} ORDER BY id ${MOST}`)
    // Many events are read at once, and as objects of SQLite they would take more than twice the time.
    for (const many of [this.#events, this.#eventsOf, this.#eventsBut]) many.setReturnArrays(true)
    this.#last = db.prepare(`SELECT ${HIGHEST_NUMBER} AS id`)
    this.#lastRecorded = db.prepare('SELECT max(id) AS id FROM events')
  }

  events({ after = 0, limit = EVENTS_DEFAULT, types }: EventQuery): LedgerEvent[] {
    return (this.#eventRows(after, limit, types) as unknown as EventColumns[]).map(eventOf)
  }

  /** Whether events of these types are looked for among so many that it may take long. */
  isLongSearch({ after = 0, types }: EventQuery): boolean {
    return types !== undefined && this.lastEvent() - after > LONG_SEARCH
  }

  #eventRows(after: number, limit: number, types: EventQuery['types']): unknown[] {
    if (!types) return this.#events.all(after, limit)
    if (types.includes('submitted')) return this.#eventsOf.all(after, limit, JSON.stringify(types))
    // Readers look after every change. While only operations are submitted, this answers them in a tenth of the time.
    const { id } = this.#lastRecorded.get() as { id: number | null }
    return id === null || id <= after ? [] : this.#eventsBut.all(after, limit, JSON.stringify(types))
  }

  lastEvent(): number {
    return (this.#last.get() as { id: number }).id
  }
}

/**
 * Whether a list is empty because nothing waits for what it asks for. Runners ask that when they start, and usually nothing
 * does: a thread for the answer would cost more than everything else that a connected worker does.
 */
export function isNoneParked(db: DatabaseSync, { parkedFor, state }: OperationFilter): boolean {
  if (parkedFor !== undefined)
    return db.prepare('SELECT 1 FROM operations WHERE parked_for = ? LIMIT 1').get(parkedFor) === undefined
  if (state !== 'parked') return false
  return db.prepare('SELECT 1 FROM operations WHERE parked_for IS NOT NULL LIMIT 1').get() === undefined
}
