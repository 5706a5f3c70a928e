import type { Time } from '../../time/time.ts'
import type { EventType } from '../event.ts'
import type { Rejudged, Rejudgement, RejudgeOrigin } from '../rejudgement.ts'
import { aboutFailure } from '../row/failed-attempt.ts'
import type { OperationRow } from '../row/operation-row.ts'
import { numberOf } from '../row/rows.ts'
import { withoutSecrets } from '../without-secrets.ts'
import type { Attempts } from './attempts.ts'
import type { EventLog } from './event-log.ts'
import type { Statements } from './statements.ts'

/** Settles parked operations by a new verdict, without a run. */
export class Rejudging {
  readonly #statements: Statements
  readonly #time: Time
  readonly #events: EventLog
  readonly #attempts: Attempts

  constructor(statements: Statements, time: Time, events: EventLog, attempts: Attempts) {
    this.#statements = statements
    this.#time = time
    this.#events = events
    this.#attempts = attempts
  }

  rejudge(id: string, { parkedOn, verdict: given, failure, by }: Rejudgement): Rejudged {
    const row = this.#statements
      .of(`SELECT * FROM operations WHERE id = ? AND state = 'parked' AND fingerprint = ?`)
      .get(numberOf(id) ?? 0, parkedOn.fingerprint) as unknown as OperationRow | undefined
    if (!row) return undefined
    if (parkedOn.event !== undefined && this.#parkEvent(row) !== parkedOn.event) return undefined
    const now = this.#time.now()
    const verdict = withoutSecrets(given)
    const stored = failure && this.#attempts.reclassify(row.id, row.attempts, { failure, verdict, by })
    return this.#settle(row, now, verdict, { by, was: row.parked_for, ...aboutFailure(stored) })
  }

  #settle(
    row: OperationRow,
    now: number,
    verdict: Rejudgement['verdict'],
    about: { by: RejudgeOrigin } & Record<string, unknown>,
  ): Rejudged {
    const { reason, rule } = verdict
    const tell = (type: EventType, more: Record<string, unknown>) =>
      this.#events.of(row, now, type, { ...about, ...more, rule, reason })
    const set = (changes: string, event: number, ...values: (string | number)[]) =>
      this.#statements
        .of(
          `UPDATE operations SET updated_at = ?1, since = ?1, last_event = ?2, reason = ?3, ${changes} WHERE id = ?4`,
        )
        .run(now, event, reason, row.id, ...values)
    const schedule = (dueAt: number, event: number, counted: string, mode: string): Rejudged => {
      set(`state = 'scheduled', parked_for = NULL, due_at = ?5, mode = ?6, ${counted}`, event, dueAt, mode)
      return { settled: true, event, state: 'scheduled', dueAt }
    }
    switch (verdict.action) {
      case 'retry': {
        const dueAt = Math.round(now + verdict.delayMs)
        const event = tell('retrying', { due_at: dueAt })
        return schedule(
          dueAt,
          event,
          `waiting = 'retry', retries = retries + 1, waits = waits + 1`,
          verdict.mode,
        )
      }
      case 'snooze': {
        const dueAt = Math.round(verdict.until)
        const event = tell('snoozed', { due_at: dueAt })
        return schedule(
          dueAt,
          event,
          `waiting = 'snooze', snoozes = snoozes + 1, snoozed_ms = snoozed_ms + max(0, ?5 - ?1)`,
          verdict.mode,
        )
      }
      case 'park': {
        const event = tell('parked', { for: verdict.for, origin: verdict.origin ?? 'decision' })
        set('parked_for = ?5', event, verdict.for)
        return { settled: true, event, state: 'parked' }
      }
      case 'cancel': {
        const event = tell('dead', { as: verdict.as })
        set(`state = 'dead', parked_for = NULL, ended_at = ?1, dead_as = ?5`, event, verdict.as)
        return { settled: true, event, state: 'dead' }
      }
    }
  }

  /** The event that parked it; an edit may have followed. */
  #parkEvent({ id, last_event }: OperationRow): number | undefined {
    const find = this.#statements.of('SELECT type, previous FROM events WHERE id = ?')
    for (let event = last_event; event !== id; ) {
      const row = find.get(event) as unknown as { type: EventType; previous: number }
      if (row.type === 'parked') return event
      event = row.previous
    }
    return undefined
  }
}
