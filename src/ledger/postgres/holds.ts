import type { Time } from '../../time/time.ts'
import { ENGINE_PREFIX } from '../hold-words.ts'
import { COVERED_MS } from '../record/runners.ts'
import { numberOf } from '../row/rows.ts'
import { withoutSecrets } from '../without-secrets.ts'
import type { Sql } from './sql.ts'

/**
 * Locks the rows that move, numbers them in the order given, and writes an event for each. $2 is now. They were due when
 * they were held: if the clock was ahead then, they are due now.
 */
const moving = (which: string, type: string, by: string) => `WITH locked AS (
    SELECT o.id, o.run, o.last_event, o.held_by, g.place FROM unnest($1::bigint[]) WITH ORDINALITY AS g(id, place)
    JOIN operations o ON o.id = g.id WHERE ${which} ORDER BY o.id FOR UPDATE OF o),
  numbered AS (SELECT l.*, nextval('numbers') AS event FROM (SELECT * FROM locked ORDER BY place) l),
  told AS (INSERT INTO events (id, at, type, operation, run, previous, data)
    SELECT event, $2, '${type}', id, nullif(run, 0), last_event, ${by} FROM numbered)
  UPDATE operations o SET updated_at = $2, since = $2, last_event = n.event,
    due_at = CASE WHEN o.since > $2 THEN least(o.due_at, $2) ELSE o.due_at END`

const HOLD = `${moving("o.state = 'scheduled' AND o.held_by IS DISTINCT FROM $3", 'held', '$4')}, held_by = $3,
  retrying_ms = o.retrying_ms + CASE WHEN o.waiting = 'retry' AND o.held_by IS NULL
    THEN ${COVERED_MS('o.capability', 'o.since', '$2')} ELSE 0 END FROM numbered n WHERE o.id = n.id`

const FREE = `${moving('o.held_by IS NOT NULL', 'freed', "json_build_object('by', held_by)")}, held_by = NULL
  FROM numbered n WHERE o.id = n.id`

/** A held operation, and its first provider that no gate closes. It need not wait, and no claim would ever find it. */
export interface HeldForNothing {
  id: number
  provider: string
}

export const HELD_FOR_NOTHING = `SELECT o.id, n.provider FROM operations o, LATERAL (
    SELECT u.provider FROM json_array_elements_text(
      coalesce(o.providers, json_build_array(o.provider)::text)::json) AS u(provider)
    WHERE NOT EXISTS (SELECT 1 FROM provider_gates g WHERE g.provider = u.provider) LIMIT 1) n
  WHERE o.held_by IS NOT NULL AND NOT starts_with(o.held_by, '${ENGINE_PREFIX}') ORDER BY o.id`

/** Holds scheduled operations, so that they are not due, and frees them; one statement moves any number. */
export class Holds {
  readonly #sql: Sql
  readonly #time: Time

  constructor(sql: Sql, time: Time) {
    this.#sql = sql
    this.#time = time
  }

  /** Returns how many were scheduled and not already held for this provider. */
  async hold(ids: readonly string[], provider: string): Promise<number> {
    const data = JSON.stringify(withoutSecrets({ by: provider }))
    return this.#move(HOLD, ids, provider, data)
  }

  /** Returns how many were held. */
  async free(ids: readonly string[]): Promise<number> {
    return this.#move(FREE, ids)
  }

  async #move(text: string, ids: readonly string[], ...values: string[]): Promise<number> {
    if (ids.length === 0) return 0
    // Each id once: one move, one event.
    const numbers = [...new Set(ids)].map(id => numberOf(id) ?? 0)
    return this.#sql.run(text, [numbers, this.#time.now(), ...values])
  }
}
