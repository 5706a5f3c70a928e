import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Failure } from '../../failure/failure.ts'
import type { Time } from '../../time/index.ts'
import type { NewAttempt } from '../attempt.ts'
import type { EventType } from '../event.ts'
import type { Appended, HandBack, RunRecord, Started } from '../ledger.ts'
import type { Fence, RunningOperation } from '../operation.ts'
import type { EndingVerdict, Settled, Settlement, Stale } from '../settlement.ts'
import { Attempts, withoutSecrets } from './attempts.ts'
import type { EventLog } from './event-log.ts'
import { OPERATION_COLUMNS, type OperationRow, rowOf, toOperation } from './operation-row.ts'
import { numberOf } from './rows.ts'

/** What of a running operation's row the end of its run depends on. */
type RunningRow = Pick<OperationRow, 'id' | 'state' | 'run' | 'attempts' | 'last_event' | 'cancel_requested'>

/** Runs of this connection whose rows are remembered; those of a runner that lost them must not pile up. */
const MOST_REMEMBERED = 10_000

const CANCELLED: EndingVerdict = {
  action: 'cancel',
  as: 'cancelled',
  reason: 'it was cancelled while it ran',
  rule: 'ledger:cancel_requested',
}

/** Begins, records and ends runs. Every write after the beginning is fenced by the run number. */
export class Runs {
  readonly #time: Time
  readonly #events: EventLog
  readonly #attempts: Attempts
  readonly #rows: StatementSync
  /** How the rows of this connection's own runs were last left. Whether they still are is asked when they end. */
  readonly #left = new Map<number, RunningRow>()
  readonly #row: StatementSync
  readonly #start: StatementSync
  readonly #record: StatementSync
  readonly #tried: StatementSync
  readonly #failed: StatementSync
  readonly #succeed: StatementSync
  readonly #succeedLeft: StatementSync
  readonly #reschedule: StatementSync
  readonly #park: StatementSync
  readonly #die: StatementSync

  constructor(db: DatabaseSync, time: Time, events: EventLog) {
    this.#time = time
    this.#events = events
    this.#attempts = new Attempts(db)
    this.#rows = db.prepare(
      `SELECT ${OPERATION_COLUMNS} FROM operations WHERE id IN (SELECT value FROM json_each(?))`,
    )
    this.#rows.setReturnArrays(true)
    this.#row = db.prepare(
      'SELECT id, state, run, attempts, last_event, cancel_requested FROM operations WHERE id = ?',
    )
    this.#start = db.prepare(`UPDATE operations SET state = 'running', run = ?1, retrying_ms = ?2, since = ?3,
      updated_at = ?3, run_cost_usd = 0, run_provider = NULL, last_event = ?4 WHERE id = ?5`)
    this.#record = db.prepare(`UPDATE operations SET agent_session = coalesce(?, agent_session),
      folder = coalesce(?, folder), run_provider = coalesce(?, run_provider),
      run_cost_usd = coalesce(?, run_cost_usd), updated_at = ?, last_event = ?
      WHERE id = ?`)
    this.#tried =
      db.prepare(`UPDATE operations SET attempts = ?, retries = retries + ?, cost_usd = cost_usd + ?,
      agent_session = coalesce(?, agent_session), updated_at = ?, last_event = ? WHERE id = ?`)
    this.#failed = db.prepare(`UPDATE operations SET class = ?, kind = ?, fingerprint = ?, message = ?,
      first_failed_at = coalesce(first_failed_at, ?) WHERE id = ?`)
    const ends = `updated_at = ?1, since = ?1, last_event = ?2, run_cost_usd = 0, cancel_requested = 0,
      attempts = ?3, cost_usd = cost_usd + ?4, agent_session = coalesce(?5, agent_session)`
    this.#succeed = db.prepare(
      `UPDATE operations SET ${ends}, state = 'succeeded', ended_at = ?1, result = ? WHERE id = ?`,
    )
    this.#succeedLeft = db.prepare(`UPDATE operations SET state = 'succeeded', updated_at = ?1, since = ?1,
      ended_at = ?1, last_event = ?2, attempts = ?3, run_cost_usd = 0, cost_usd = cost_usd + ?4, result = ?5
      WHERE id = ?6 AND run = ?7 AND last_event = ?8 AND state = 'running' AND cancel_requested = 0`)
    this.#reschedule =
      db.prepare(`UPDATE operations SET ${ends}, state = 'scheduled', due_at = ?, waiting = ?,
      mode = ?, retries = retries + ?, snoozes = snoozes + ?, snoozed_ms = snoozed_ms + ?, reason = ? WHERE id = ?`)
    this.#park = db.prepare(
      `UPDATE operations SET ${ends}, state = 'parked', parked_for = ?, reason = ? WHERE id = ?`,
    )
    this.#die = db.prepare(
      `UPDATE operations SET ${ends}, state = 'dead', ended_at = ?1, dead_as = ?, reason = ? WHERE id = ?`,
    )
  }

  start(id: number, takeover?: { runner: string }): Started | undefined {
    return this.startAll([id], takeover)[0]
  }

  /** Those of them that can be, in this order; read at once, because every question to the database costs. */
  startAll(ids: readonly number[], takeover?: { runner: string }): Started[] {
    const now = this.#time.now()
    const found = this.#rows.all(JSON.stringify(ids)) as unknown as (readonly unknown[])[]
    const rows = new Map(found.map(values => [values[0] as number, rowOf(values)]))
    return ids.flatMap(id => {
      const row = rows.get(id)
      return (row && this.#begin(row, now, takeover)) ?? []
    })
  }

  #begin(row: OperationRow, now: number, takeover: { runner: string } | undefined): Started | undefined {
    if (row.state !== (takeover ? 'running' : 'scheduled') || row.held_by !== null) return undefined
    const lost = takeover ? lostRun(row) : undefined
    row.run++
    const event = this.#events.of(
      row,
      now,
      takeover ? 'taken_over' : 'claimed',
      takeover && { from: takeover.runner },
    )
    if (row.waiting === 'retry' && row.state === 'scheduled') row.retrying_ms += Math.max(0, now - row.since)
    this.#start.run(row.run, row.retrying_ms, now, event, row.id)
    row.state = 'running'
    row.since = row.updated_at = now
    row.last_event = event
    this.#leave(row)
    return { operation: toOperation(row) as RunningOperation, ...(lost ? { lost } : {}) }
  }

  append({ id, run }: Fence, attempt: NewAttempt, options: { lostRunner?: boolean } = {}): Appended {
    const row = this.#running(id, run)
    if (!('attempts' in row)) return row
    const now = this.#time.now()
    const number = row.attempts + 1
    const failure = this.#write(row.id, number, run, attempt)
    const event = this.#events.of(row, now, 'attempted', { attempt: number, ...aboutFailure(failure) })
    this.#tried.run(
      number,
      options.lostRunner || attempt.verdict?.action === 'retry' ? 1 : 0,
      attempt.costUsd ?? 0,
      attempt.sessionId ?? null,
      now,
      event,
      row.id,
    )
    this.#leave({ ...row, attempts: number, last_event: event })
    return { settled: true, event, number }
  }

  record({ id, run }: Fence, { agentSession, folder, provider, costUsd }: RunRecord): boolean {
    const row = this.#running(id, run)
    if (!('attempts' in row)) return false
    const now = this.#time.now()
    const event = this.#events.of(row, now, 'recorded')
    this.#record.run(
      agentSession ?? null,
      folder ?? null,
      provider ?? null,
      costUsd ?? null,
      now,
      event,
      row.id,
    )
    this.#leave({ ...row, last_event: event })
    return true
  }

  settle(fence: Fence, settlement: Settlement): Settled {
    const now = this.#time.now()
    const known = this.#left.get(numberOf(fence.id) ?? 0)
    if (known) {
      this.#left.delete(known.id)
      const settled = known.run === fence.run && this.#succeedAsLeft(known, settlement, now)
      if (settled) return settled
    }
    const { id, run } = fence
    const row = this.#running(id, run)
    if (!('attempts' in row)) return row
    const { attempt } = settlement
    const number = attempt ? row.attempts + 1 : row.attempts
    const failure = attempt && this.#write(row.id, number, run, attempt)
    const end = (event: number) =>
      [now, event, number, attempt?.costUsd ?? 0, attempt?.sessionId ?? null] as const
    if (settlement.succeeded) {
      const event = this.#events.of(row, now, 'succeeded')
      const result = settlement.result === undefined ? null : JSON.stringify(settlement.result)
      this.#succeed.run(...end(event), result, row.id)
      return { settled: true, event, state: 'succeeded' }
    }
    const about = { ...(attempt ? { attempt: number } : {}), ...aboutFailure(failure) }
    // Asked for while it ran and not seen by the runner: a cancel must not be forgotten over a retry.
    const verdict = row.cancel_requested === 1 ? CANCELLED : withoutSecrets(settlement.verdict)
    return this.#end(row, now, verdict, about, end)
  }

  /** The usual end, without asking how the row is first; undefined if it is not as this connection left it. */
  #succeedAsLeft(row: RunningRow, settlement: Settlement, now: number): Settled | undefined {
    if (!settlement.succeeded || settlement.attempt?.failure || settlement.attempt?.sessionId)
      return undefined
    const { attempt, result } = settlement
    const number = attempt ? row.attempts + 1 : row.attempts
    const event = this.#events.next()
    const json = result === undefined ? null : JSON.stringify(result)
    const cost = attempt?.costUsd ?? 0
    const { id, run, last_event } = row
    const { changes } = this.#succeedLeft.run(now, event, number, cost, json, id, run, last_event)
    if (changes === 0) return undefined
    if (attempt) this.#attempts.write(id, number, run, attempt)
    this.#events.write(event, row, now, 'succeeded')
    return { settled: true, event, state: 'succeeded' }
  }

  /** Gives a run back unfinished: due at once (or at `dueAt`), and nothing is counted. */
  handBack({ id, run }: Fence, { dueAt, mode = 'again', attempt, reason }: HandBack = {}): Settled {
    const row = this.#running(id, run)
    if (!('attempts' in row)) return row
    this.#left.delete(row.id)
    const now = this.#time.now()
    const number = attempt ? row.attempts + 1 : row.attempts
    if (attempt) this.#write(row.id, number, run, attempt)
    const end = (event: number) =>
      [now, event, number, attempt?.costUsd ?? 0, attempt?.sessionId ?? null] as const
    if (row.cancel_requested === 1) return this.#end(row, now, CANCELLED, {}, end)
    const event = this.#events.of(row, now, 'handed_back', reason === undefined ? undefined : { reason })
    const at = dueAt ?? now
    this.#reschedule.run(...end(event), at, 'hand_back', mode, 0, 0, 0, reason ?? null, row.id)
    return { settled: true, event, state: 'scheduled', dueAt: at }
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
        const event = tell('parked', { for: verdict.for })
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

  #write(operation: number, number: number, run: number, attempt: NewAttempt): Failure | undefined {
    const failure = this.#attempts.write(operation, number, run, attempt)
    if (failure)
      this.#failed.run(
        failure.class,
        failure.kind,
        failure.fingerprint,
        failure.message,
        attempt.endedAt,
        operation,
      )
    return failure
  }

  #leave({ id, state, run, attempts, last_event, cancel_requested }: RunningRow): void {
    if (this.#left.size < MOST_REMEMBERED || this.#left.has(id))
      this.#left.set(id, { id, state, run, attempts, last_event, cancel_requested })
  }

  #running(id: string, run: number): RunningRow | Stale {
    const row = this.#row.get(numberOf(id) ?? 0) as unknown as RunningRow | undefined
    if (row?.state === 'running' && row.run === run) return row
    return { settled: false, stale: true, run: row?.run ?? 0 }
  }
}

function aboutFailure(failure: Failure | undefined): Record<string, unknown> {
  if (!failure) return {}
  const { class: cls, kind, fingerprint, provider } = failure
  return { class: cls, kind, fingerprint, ...(provider === undefined ? {} : { provider }) }
}

function lostRun(row: OperationRow): NonNullable<Started['lost']> {
  return {
    run: row.run,
    startedAt: row.since,
    ...(row.agent_session === null ? {} : { agentSession: row.agent_session }),
    ...(row.folder === null ? {} : { folder: row.folder }),
    ...(row.run_provider === null ? {} : { provider: row.run_provider }),
    ...(row.run_cost_usd === 0 ? {} : { costUsd: row.run_cost_usd }),
  }
}
