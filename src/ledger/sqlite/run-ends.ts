import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Time } from '../../time/time.ts'
import type { NewAttempt } from '../attempt.ts'
import type { EventType } from '../event.ts'
import type { HandBack } from '../ledger.ts'
import type { Fence } from '../operation.ts'
import { aboutFailure } from '../row/failed-attempt.ts'
import { CANCELLED_WHILE_RUNNING } from '../row/run-end.ts'
import type { EndingVerdict, Settled, Settlement } from '../settlement.ts'
import { withoutSecrets } from '../without-secrets.ts'
import type { Attempts } from './attempts.ts'
import type { EventLog } from './event-log.ts'
import type { RunningRow, RunningRows } from './running-rows.ts'

/** Ends runs: settled, or handed back unfinished. Every end is fenced by the run number. */
export class RunEnds {
  readonly #time: Time
  readonly #events: EventLog
  readonly #attempts: Attempts
  readonly #running: RunningRows
  readonly #succeed: StatementSync
  readonly #succeedLeft: StatementSync
  readonly #reschedule: StatementSync
  readonly #park: StatementSync
  readonly #die: StatementSync

  constructor(db: DatabaseSync, time: Time, events: EventLog, attempts: Attempts, running: RunningRows) {
    this.#time = time
    this.#events = events
    this.#attempts = attempts
    this.#running = running
    const ends = `updated_at = ?1, since = ?1, last_event = ?2, run_cost_usd = 0, cancel_requested = 0,
      attempts = ?3, cost_usd = cost_usd + ?4, agent_session = coalesce(?5, agent_session)`
    this.#succeed = db.prepare(
      `UPDATE operations SET ${ends}, state = 'succeeded', ended_at = ?1, result = ?, result_cut = ? WHERE id = ?`,
    )
    this.#succeedLeft = db.prepare(`UPDATE operations SET state = 'succeeded', updated_at = ?1, since = ?1,
      ended_at = ?1, last_event = ?2, attempts = ?3, run_cost_usd = 0, cost_usd = cost_usd + ?4, result = ?5, result_cut = ?9
      WHERE id = ?6 AND run = ?7 AND last_event = ?8 AND state = 'running' AND cancel_requested = 0`)
    this.#reschedule =
      db.prepare(`UPDATE operations SET ${ends}, state = 'scheduled', due_at = ?, waiting = ?,
      mode = ?, retries = retries + ?9, waits = waits + ?9, snoozes = snoozes + ?, snoozed_ms = snoozed_ms + ?, reason = ?
      WHERE id = ?`)
    this.#park = db.prepare(
      `UPDATE operations SET ${ends}, state = 'parked', parked_for = ?, reason = ? WHERE id = ?`,
    )
    this.#die = db.prepare(
      `UPDATE operations SET ${ends}, state = 'dead', ended_at = ?1, dead_as = ?, reason = ? WHERE id = ?`,
    )
  }

  settle(fence: Fence, settlement: Settlement): Settled {
    const now = this.#time.now()
    const left = this.#running.takeLeft(fence)
    const settled = left?.run === fence.run && this.#succeedAsLeft(left, settlement, now)
    if (settled) return settled
    const row = this.#running.of(fence)
    if (!('attempts' in row)) return row
    const { attempt } = settlement
    const number = attempt ? row.attempts + 1 : row.attempts
    const failure = attempt && this.#attempts.write(row.id, number, row.run, attempt)
    const end = (event: number) =>
      [now, event, number, attempt?.costUsd ?? 0, attempt?.sessionId ?? null] as const
    const about = {
      ...(attempt?.failure ? { attempt: number } : {}),
      ...aboutFailure(failure),
      ...this.#aboutRun(row, now, number, attempt),
    }
    if (settlement.succeeded) {
      const answered = withoutSecrets(settlement.answered ?? {})
      const event = this.#events.of(row, now, 'succeeded', { ...about, ...answered })
      const result = settlement.result === undefined ? null : JSON.stringify(settlement.result)
      this.#succeed.run(...end(event), result, settlement.resultCut ? 1 : 0, row.id)
      return { settled: true, event, state: 'succeeded' }
    }
    // A cancel requested during the run, which the runner has not seen, must not get lost in a retry.
    const verdict = row.cancel_requested === 1 ? CANCELLED_WHILE_RUNNING : withoutSecrets(settlement.verdict)
    return this.#end(row, now, verdict, { ...(attempt ? { attempt: number } : {}), ...about }, end)
  }

  /** The usual end, without reading the row first; undefined if the row is not as this connection left it. */
  #succeedAsLeft(row: RunningRow, settlement: Settlement, now: number): Settled | undefined {
    if (!settlement.succeeded || settlement.answered) return undefined
    if (settlement.attempt?.failure || settlement.attempt?.sessionId) return undefined
    const { attempt, result, resultCut } = settlement
    const number = attempt ? row.attempts + 1 : row.attempts
    const event = this.#events.next()
    const json = result === undefined ? null : JSON.stringify(result)
    const cost = attempt?.costUsd ?? 0
    const { id, run, last_event } = row
    const { changes } = this.#succeedLeft.run(
      now,
      event,
      number,
      cost,
      json,
      id,
      run,
      last_event,
      resultCut ? 1 : 0,
    )
    if (changes === 0) return undefined
    if (attempt) this.#attempts.write(id, number, run, attempt)
    this.#events.write(event, row, now, 'succeeded', this.#aboutRun(row, now, number, attempt))
    return { settled: true, event, state: 'succeeded' }
  }

  /** Hands back a run unfinished: due at once (or at `dueAt`), without counting anything. */
  handBack(fence: Fence, { dueAt, mode = 'again', attempt, refusal, reason: given }: HandBack = {}): Settled {
    const row = this.#running.of(fence)
    if (!('attempts' in row)) return row
    this.#running.takeLeft(fence)
    const now = this.#time.now()
    const number = attempt ? row.attempts + 1 : row.attempts
    const failure = attempt && this.#attempts.write(row.id, number, row.run, attempt)
    const end = (event: number) =>
      [now, event, number, attempt?.costUsd ?? 0, attempt?.sessionId ?? null] as const
    const about = {
      ...(attempt ? { attempt: number } : {}),
      ...aboutFailure(failure),
      ...this.#aboutRun(row, now, number, attempt),
    }
    if (row.cancel_requested === 1) return this.#end(row, now, CANCELLED_WHILE_RUNNING, about, end)
    const reason = given === undefined ? undefined : withoutSecrets(given)
    const event = this.#events.of(row, now, 'handed_back', {
      ...about,
      ...(refusal === undefined ? {} : { refusal }),
      ...(reason === undefined ? {} : { reason }),
    })
    const at = dueAt ?? now
    this.#reschedule.run(...end(event), at, 'hand_back', mode, 0, 0, 0, reason ?? null, row.id)
    return { settled: true, event, state: 'scheduled', dueAt: at }
  }

  /** How long a run took, and what it cost. Called when all its attempts are written. */
  #aboutRun(
    { id, run, since }: RunningRow,
    now: number,
    attempts: number,
    last: NewAttempt | undefined,
  ): Record<string, unknown> {
    // Nearly every operation has one attempt, which needs no query.
    const spent = attempts > 1 ? this.#attempts.spent(id, attempts, run) : last?.costUsd
    return { duration_ms: Math.max(0, now - since), ...(spent === undefined ? {} : { cost_usd: spent }) }
  }

  #end(
    row: RunningRow,
    now: number,
    verdict: EndingVerdict,
    about: Record<string, unknown>,
    end: (event: number) => readonly [number, number, number, number, string | null],
  ): Settled {
    const { reason, rule } = verdict
    const tell = (type: EventType, more: Record<string, unknown>) =>
      this.#events.of(row, now, type, { ...about, ...more, rule, reason })
    switch (verdict.action) {
      case 'retry': {
        const dueAt = Math.round(now + verdict.delayMs)
        const event = tell('retrying', { due_at: dueAt })
        this.#reschedule.run(...end(event), dueAt, 'retry', verdict.mode, 1, 0, 0, reason, row.id)
        return { settled: true, event, state: 'scheduled', dueAt }
      }
      case 'snooze': {
        const dueAt = Math.round(verdict.until)
        const event = tell('snoozed', { due_at: dueAt })
        const length = Math.max(0, dueAt - now)
        this.#reschedule.run(...end(event), dueAt, 'snooze', verdict.mode, 0, 1, length, reason, row.id)
        return { settled: true, event, state: 'scheduled', dueAt }
      }
      case 'park': {
        const event = tell('parked', { for: verdict.for, origin: verdict.origin ?? 'decision' })
        this.#park.run(...end(event), verdict.for, reason, row.id)
        return { settled: true, event, state: 'parked' }
      }
      case 'cancel': {
        const event = tell('dead', { as: verdict.as })
        this.#die.run(...end(event), verdict.as, reason, row.id)
        return { settled: true, event, state: 'dead' }
      }
    }
  }
}
