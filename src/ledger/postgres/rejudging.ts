import type { Time } from '../../time/time.ts'
import type { Rejudged, Rejudgement } from '../rejudgement.ts'
import { aboutFailure } from '../row/failed-attempt.ts'
import type { OperationRow } from '../row/operation-row.ts'
import { runEnd } from '../row/run-end.ts'
import { withoutSecrets } from '../without-secrets.ts'
import type { Attempts } from './attempts.ts'
import type { OperationRows } from './operation-rows.ts'
import type { Sql } from './sql.ts'

/** Settles parked operations with a new verdict, without a run. */
export class Rejudging {
  readonly #sql: Sql
  readonly #time: Time
  readonly #rows: OperationRows
  readonly #attempts: Attempts

  constructor(sql: Sql, time: Time, rows: OperationRows, attempts: Attempts) {
    this.#sql = sql
    this.#time = time
    this.#rows = rows
    this.#attempts = attempts
  }

  async rejudge(id: string, { parkedOn, verdict: given, failure, by }: Rejudgement): Promise<Rejudged> {
    const row = await this.#rows.find(id, 'parked')
    if (row?.fingerprint !== parkedOn.fingerprint) return undefined
    if (parkedOn.event !== undefined && (await this.#parkEvent(row)) !== parkedOn.event) return undefined
    const now = this.#time.now()
    const verdict = withoutSecrets(given)
    const stored =
      failure && (await this.#attempts.reclassify(row.id, row.attempts, { failure, verdict, by }))
    const { type, told, state, reason, again, parkedFor, deadAs } = runEnd(verdict, now)
    const event = await this.#rows.change(row, {
      at: now,
      type,
      data: { by, was: row.parked_for, ...aboutFailure(stored), ...told },
      set: `state = $7, since = $1, reason = $8, due_at = coalesce($9, due_at), waiting = coalesce($10, waiting),
        mode = coalesce($11, mode), retries = retries + $12, waits = waits + $12, snoozes = snoozes + $13,
        snoozed_ms = snoozed_ms + $14, parked_for = $15, dead_as = $16, ended_at = $17`,
      values: [
        state,
        reason,
        again?.dueAt ?? null,
        again?.waiting ?? null,
        again?.mode ?? null,
        again?.retries ?? 0,
        again?.snoozes ?? 0,
        again?.snoozedMs ?? 0,
        parkedFor ?? null,
        deadAs ?? null,
        deadAs === undefined ? null : now,
      ],
    })
    return { settled: true, event, state, ...(again ? { dueAt: again.dueAt } : {}) }
  }

  /** The event that parked it; it may have been edited since. */
  async #parkEvent({ id, last_event }: OperationRow): Promise<number | undefined> {
    const row = await this.#sql.row<{ id: number }>(
      `WITH RECURSIVE chain AS (SELECT id, type, previous FROM events WHERE id = $2 UNION ALL
        SELECT e.id, e.type, e.previous FROM chain c JOIN events e ON e.id = c.previous
        WHERE c.type <> 'parked' AND c.previous <> $1)
      SELECT id FROM chain WHERE type = 'parked' LIMIT 1`,
      [id, last_event],
    )
    return row?.id
  }
}
