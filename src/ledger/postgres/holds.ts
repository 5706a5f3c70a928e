import type { Time } from '../../time/time.ts'
import { numberOf } from '../row/rows.ts'
import { withoutSecrets } from '../without-secrets.ts'
import { COVERED_MS } from './coverage.ts'
import type { Sql } from './sql.ts'

/** Locks the rows that move, numbers them in the order given, and writes an event for each. $2 is now. */
const moving = (which: string, type: string, by: string) => `WITH locked AS (
    SELECT o.id, o.run, o.last_event, o.held_by, g.place FROM unnest($1::bigint[]) WITH ORDINALITY AS g(id, place)
    JOIN operations o ON o.id = g.id WHERE ${which} ORDER BY o.id FOR UPDATE OF o),
  numbered AS (SELECT l.*, nextval('numbers') AS event FROM (SELECT * FROM locked ORDER BY place) l),
  told AS (INSERT INTO events (id, at, type, operation, run, previous, data)
    SELECT event, $2, '${type}', id, nullif(run, 0), last_event, ${by} FROM numbered)
  UPDATE operations o SET updated_at = $2, since = $2, last_event = n.event`

const HOLD = `${moving("o.state = 'scheduled' AND o.held_by IS DISTINCT FROM $3", 'held', '$4')}, held_by = $3,
  retrying_ms = o.retrying_ms + CASE WHEN o.waiting = 'retry' AND o.held_by IS NULL
    THEN ${COVERED_MS('o.capability', 'o.since', '$2')} ELSE 0 END FROM numbered n WHERE o.id = n.id RETURNING o.id`

const FREE = `${moving('o.held_by IS NOT NULL', 'freed', "json_build_object('by', held_by)")}, held_by = NULL
  FROM numbered n WHERE o.id = n.id RETURNING o.id`

/** Holds scheduled operations, so that they are not due, and frees them; one statement moves any number. */
export class Holds {
  readonly #sql: Sql
  readonly #time: Time

  constructor(sql: Sql, time: Time) {
    this.#sql = sql
    this.#time = time
  }

  /** Returns the numbers of those that were scheduled and not already held for this provider. */
  async hold(ids: readonly string[], provider: string): Promise<number[]> {
    const data = JSON.stringify(withoutSecrets({ by: provider }))
    return this.#move(HOLD, ids, provider, data)
  }

  /** Returns the numbers of those that were held. */
  async free(ids: readonly string[]): Promise<number[]> {
    return this.#move(FREE, ids)
  }

  async #move(text: string, ids: readonly string[], ...values: string[]): Promise<number[]> {
    if (ids.length === 0) return []
    // Each id once: one move, one event.
    const numbers = [...new Set(ids)].map(id => numberOf(id) ?? 0)
    const moved = await this.#sql.rows<{ id: number }>(text, [numbers, this.#time.now(), ...values])
    return moved.map(({ id }) => id)
  }
}
