import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Time } from '../../time/time.ts'
import type { NewAttempt } from '../attempt.ts'
import type { Appended, RunRecord, Started } from '../ledger.ts'
import type { Fence, RunningOperation } from '../operation.ts'
import { aboutFailure } from '../row/failed-attempt.ts'
import { lostRun } from '../row/lost-run.ts'
import { OPERATION_COLUMNS, type OperationRow, rowOf } from '../row/operation-row.ts'
import { toOperation } from '../row/to-operation.ts'
import type { Attempts } from './attempts.ts'
import type { CapabilityCoverage } from './capability-coverage.ts'
import type { EventLog } from './event-log.ts'
import type { RunningRows } from './running-rows.ts'

/**
 * Begins runs, and writes what becomes known while they run. Every write after the beginning is fenced by the run
 * number.
 */
export class Runs {
  readonly #time: Time
  readonly #events: EventLog
  readonly #coverage: CapabilityCoverage
  readonly #attempts: Attempts
  readonly #running: RunningRows
  readonly #rows: StatementSync
  readonly #start: StatementSync
  readonly #startHeld: StatementSync
  readonly #record: StatementSync
  readonly #tried: StatementSync

  constructor(
    db: DatabaseSync,
    time: Time,
    events: EventLog,
    attempts: Attempts,
    running: RunningRows,
    coverage: CapabilityCoverage,
  ) {
    this.#time = time
    this.#coverage = coverage
    this.#events = events
    this.#attempts = attempts
    this.#running = running
    this.#rows = db.prepare(
      `SELECT ${OPERATION_COLUMNS} FROM operations WHERE id IN (SELECT value FROM json_each(?))`,
    )
    this.#rows.setReturnArrays(true)
    const start = `UPDATE operations SET state = 'running', run = ?1, retrying_ms = ?2, since = ?3,
      updated_at = ?3, run_cost_usd = 0, run_provider = NULL, last_event = ?4`
    this.#start = db.prepare(`${start} WHERE id = ?5`)
    // Every column written costs time, and most operations are not held.
    this.#startHeld = db.prepare(`${start}, held_by = NULL WHERE id = ?5`)
    this.#record = db.prepare(`UPDATE operations SET agent_session = coalesce(?, agent_session),
      folder = coalesce(?, folder), run_provider = coalesce(?, run_provider),
      run_cost_usd = coalesce(?, run_cost_usd), updated_at = ?, last_event = ?
      WHERE id = ?`)
    this.#tried =
      db.prepare(`UPDATE operations SET attempts = ?, retries = retries + ?, waits = waits + ?, cost_usd = cost_usd + ?,
      agent_session = coalesce(?, agent_session), updated_at = ?, last_event = ? WHERE id = ?`)
  }

  /** Clears the cache after a rollback: an event number in it may belong to another event now. */
  forget(): void {
    this.#running.forget()
  }

  start(id: number, takeover?: { runner: string }): Started | undefined {
    return this.startAll([id], takeover)[0]
  }

  /** Starts those that can be started, in this order. Reads them with one query, because every query costs time. */
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
    if (row.state !== (takeover ? 'running' : 'scheduled')) return undefined
    const lost = takeover ? lostRun(row) : undefined
    row.run++
    const event = this.#events.of(
      row,
      now,
      takeover ? 'taken_over' : 'claimed',
      takeover && { from: takeover.runner },
    )
    const isHeld = row.held_by !== null
    if (row.waiting === 'retry' && row.state === 'scheduled' && !isHeld)
      row.retrying_ms += this.#coverage.coveredMs(row.capability, row.since, now)
    const update = isHeld ? this.#startHeld : this.#start
    update.run(row.run, row.retrying_ms, now, event, row.id)
    row.state = 'running'
    row.held_by = null
    row.since = row.updated_at = now
    row.last_event = event
    this.#running.leave(row)
    return { operation: toOperation(row) as RunningOperation, ...(lost ? { lost } : {}) }
  }

  append(fence: Fence, attempt: NewAttempt, options: { lostRunner?: boolean } = {}): Appended {
    const row = this.#running.of(fence)
    if (!('attempts' in row)) return row
    const now = this.#time.now()
    const number = row.attempts + 1
    const failure = this.#attempts.write(row.id, number, row.run, attempt)
    const event = this.#events.of(row, now, 'attempted', { attempt: number, ...aboutFailure(failure) })
    this.#tried.run(
      number,
      options.lostRunner || attempt.verdict?.action === 'retry' ? 1 : 0,
      options.lostRunner ? 1 : 0,
      attempt.costUsd ?? 0,
      attempt.sessionId ?? null,
      now,
      event,
      row.id,
    )
    this.#running.leave({ ...row, attempts: number, last_event: event })
    return { settled: true, event, number }
  }

  record(fence: Fence, { agentSession, folder, provider, costUsd }: RunRecord): boolean {
    const row = this.#running.of(fence)
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
    this.#running.leave({ ...row, last_event: event })
    return true
  }
}
