import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { isDelivery } from '../delivery-name.ts'
import type { EventQuery, LedgerEvent } from '../event.ts'
import { type EventColumns, eventOf } from '../row/rows.ts'
import { HIGHEST_NUMBER } from './numbering.ts'
import { readSnapshot } from './snapshot.ts'

const EVENTS_DEFAULT = 500
/** Events among which a search for a type takes a few milliseconds. */
const LONG_SEARCH = 20_000
/** What happened after ?1, from both tables that record it; each is ordered by number, so they can be merged. */
const EVENTS = 'SELECT id, at, type, operation, run, previous, data FROM events WHERE id > ?1'
const SUBMISSIONS = `SELECT id, created_at AS at, 'submitted' AS type, id AS operation, NULL AS run,
  NULL AS previous, NULL AS data FROM operations WHERE id > ?1`

/** An expression, because SQLite plans a statement again each time a bare limit is bound, which costs more than running it. */
const MOST = 'LIMIT +?2'

/** Reads of events and of what is due next: cheap enough for the main thread. */
export class Reads {
  readonly #db: DatabaseSync
  readonly #events: StatementSync
  readonly #eventsOf: StatementSync
  readonly #eventsBut: StatementSync
  readonly #last: StatementSync
  readonly #lastRecorded: StatementSync
  readonly #nextCapability: StatementSync
  readonly #nextProvider: StatementSync
  readonly #nextRank: StatementSync
  readonly #firstDue: StatementSync

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#events = db.prepare(`${EVENTS} UNION ALL ${SUBMISSIONS} ORDER BY id ${MOST}`)
    const some = `${EVENTS} AND type IN (SELECT value FROM json_each(?3))`
    this.#eventsOf = db.prepare(`${some} UNION ALL ${SUBMISSIONS} ORDER BY id ${MOST}`)
    this.#eventsBut = db.prepare(`${some} ORDER BY id ${MOST}`)
    // Many events are read at once, and as objects of SQLite they would take more than twice the time.
    for (const many of [this.#events, this.#eventsOf, this.#eventsBut]) many.setReturnArrays(true)
    this.#last = db.prepare(`SELECT ${HIGHEST_NUMBER} AS id`)
    this.#lastRecorded = db.prepare('SELECT max(id) AS id FROM events')
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

  /** Reads the first entry of each stretch of the due index: one step per capability, provider and rank. */
  nextDueAt(): number | undefined {
    return readSnapshot(this.#db, () => this.#nextDueAt())
  }

  #nextDueAt(): number | undefined {
    let first: number | undefined
    for (const [capability, provider, rank] of this.#groups()) {
      if (isDelivery({ capability })) continue
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
