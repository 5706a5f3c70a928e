import type { EventQuery, EventType, LedgerEvent } from '../event.ts'
import { type EventRow, toEvent } from '../row/rows.ts'
import type { Sql } from './sql.ts'

const EVENTS_DEFAULT = 500

/** Events come from two tables: submissions are the operations themselves. */
const EVENTS = 'SELECT id, at, type, operation, run, data FROM events WHERE id > $1 AND id <= $2'
const SUBMISSIONS = `SELECT id, created_at AS at, 'submitted' AS type, id AS operation, NULL::int AS run, NULL AS data
  FROM operations WHERE id > $1 AND id <= $2`

/** What most events are. */
const OF_SUCCESSES: readonly EventType[] = ['claimed', 'succeeded']
/** The others have an index, which is used only if the condition is written exactly as in the index. */
const IS_OTHER = `type NOT IN ('claimed', 'succeeded')`

/** Limits each table, in index order, before merging, so that neither is sorted completely. */
function merged(...parts: string[]): string {
  const ordered = parts.map(part => `(${part} ORDER BY id LIMIT $3)`)
  return `SELECT * FROM (${ordered.join(' UNION ALL ')}) AS happened ORDER BY id LIMIT $3`
}

/** Reads of events. */
export class Reads {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** @param until the last number that is settled */
  async events(
    { after = 0, limit = EVENTS_DEFAULT, types }: EventQuery,
    until: number,
  ): Promise<LedgerEvent[]> {
    if (until <= after) return []
    const ofTypes = `${EVENTS} AND type = ANY($4::text[])`
    const some = types?.some(type => OF_SUCCESSES.includes(type)) ? ofTypes : `${ofTypes} AND ${IS_OTHER}`
    const text = !types
      ? merged(EVENTS, SUBMISSIONS)
      : types.includes('submitted')
        ? merged(some, SUBMISSIONS)
        : merged(some)
    const rows = await this.#sql.rows<EventRow>(text, [after, until, limit, ...(types ? [types] : [])])
    return rows.map(toEvent)
  }
}
