import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Time } from '../../time/time.ts'
import { COVERED_MS } from '../record/runners.ts'
import { numberOf } from '../row/rows.ts'
import { withoutSecrets } from '../without-secrets.ts'
import { translated } from './answer.ts'
import type { EventLog } from './event-log.ts'

/**
 * Removes scheduled operations from the due ones, and puts them back. When a provider is blocked or comes back, all
 * operations that need it move, which may be very many: a few statements move any number, each with its own event.
 */
export class Holds {
  readonly #time: Time
  readonly #events: EventLog
  readonly #holdable: StatementSync
  readonly #held: StatementSync
  readonly #hold: StatementSync
  readonly #free: StatementSync

  constructor(db: DatabaseSync, time: Time, events: EventLog) {
    this.#time = time
    this.#events = events
    const given = 'FROM json_each(?1) j CROSS JOIN operations o ON o.id = j.value'
    this.#holdable = db.prepare(
      `SELECT o.id ${given} WHERE o.state = 'scheduled' AND o.held_by IS NOT ?2 ORDER BY j.key`,
    )
    this.#held = db.prepare(
      `SELECT o.id, o.held_by AS provider ${given} WHERE o.held_by IS NOT NULL ORDER BY j.key`,
    )
    // It was due when it was held: if the clock was ahead then, it is due now.
    const update = (changes: string) =>
      db.prepare(`UPDATE operations SET updated_at = ?3, since = ?3, last_event = ?2 + j.key,
        due_at = CASE WHEN since > ?3 THEN min(due_at, ?3) ELSE due_at END, ${changes}
        FROM json_each(?1) j WHERE operations.id = j.value`)
    this.#hold = update(`held_by = ?4, retrying_ms = retrying_ms + CASE
      WHEN waiting = 'retry' AND held_by IS NULL THEN ${translated(COVERED_MS('operations.capability', 'operations.since', '$3'))} ELSE 0 END`)
    this.#free = update('held_by = NULL')
  }

  /** Returns how many of them were scheduled and not yet held by it. */
  hold(ids: readonly string[], provider: string): number {
    const rows = this.#holdable.all(numbersOf(ids), provider) as unknown as { id: number }[]
    this.#move('held', rows, provider, this.#hold, provider)
    return rows.length
  }

  /** Returns how many of them were held. */
  free(ids: readonly string[]): number {
    const rows = this.#held.all(numbersOf(ids)) as unknown as { id: number; provider: string }[]
    for (const [provider, group] of Map.groupBy(rows, row => row.provider))
      this.#move('freed', group, provider, this.#free)
    return rows.length
  }

  #move(
    type: 'held' | 'freed',
    rows: readonly { id: number }[],
    provider: string,
    update: StatementSync,
    ...values: string[]
  ): void {
    if (rows.length === 0) return
    const now = this.#time.now()
    const numbers = JSON.stringify(rows.map(({ id }) => id))
    const first = this.#events.ofAll(numbers, rows.length, now, type, withoutSecrets({ by: provider }))
    update.run(numbers, first, now, ...values)
  }
}

/** Without duplicates: one move, one event. */
function numbersOf(ids: readonly string[]): string {
  return JSON.stringify([...new Set(ids)].map(id => numberOf(id) ?? 0))
}
