import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Time } from '../../time/time.ts'
import type { NewAttempt } from '../attempt.ts'
import type { Started } from '../ledger.ts'
import type { Fence, RunningOperation } from '../operation.ts'
import type { RunningRow } from '../record/operation-rows.ts'
import { COVERED_MS } from '../record/runners.ts'
import { OPERATION_COLUMNS, type OperationRow, rowOf } from '../row/operation-row.ts'
import { attemptRowId, numberOf } from '../row/rows.ts'
import { isPlain, timesOf } from '../row/run-end.ts'
import { toOperation } from '../row/to-operation.ts'
import type { Settled, Settlement } from '../settlement.ts'
import { withoutSecrets } from '../without-secrets.ts'
import { translated } from './answer.ts'
import type { EventLog } from './event-log.ts'

/** Maximum number of cached rows, so that runs whose runner is lost do not pile up. */
const MOST_LEFT = 10_000

type LeftRow = Pick<RunningRow, 'id' | 'run' | 'since' | 'due_at' | 'attempts' | 'last_event'>

/** Begins runs, and ends most of them: what every operation needs, so each statement counts. */
export class Runs {
  readonly #time: Time
  readonly #events: EventLog
  readonly #rows: StatementSync
  readonly #start: StatementSync
  readonly #startHeld: StatementSync
  readonly #covered: StatementSync
  readonly #succeed: StatementSync
  readonly #attempt: StatementSync
  readonly #bareAttempt: StatementSync
  /** How this connection left the rows of runs that it began, and nobody has changed since. Verified when they end. */
  readonly #left = new Map<number, LeftRow>()

  constructor(db: DatabaseSync, time: Time, events: EventLog) {
    this.#time = time
    this.#events = events
    this.#rows = db.prepare(
      `SELECT ${OPERATION_COLUMNS} FROM operations WHERE id IN (SELECT value FROM json_each(?))`,
    )
    this.#rows.setReturnArrays(true)
    const start = `UPDATE operations SET state = 'running', run = ?1, retrying_ms = ?2, since = ?3,
      updated_at = ?3, run_cost_usd = 0, run_provider = NULL, last_event = ?4`
    this.#start = db.prepare(`${start} WHERE id = ?5`)
    // Every column written costs time, and most operations are not held.
    this.#startHeld = db.prepare(`${start}, held_by = NULL WHERE id = ?5`)
    this.#covered = db.prepare(translated(`SELECT ${COVERED_MS('$1', '$2', '$3')} AS ms`))
    this.#succeed = db.prepare(`UPDATE operations SET state = 'succeeded', updated_at = ?1, since = ?1,
      ended_at = ?1, last_event = ?2, attempts = ?3, run_cost_usd = 0, cost_usd = cost_usd + ?4, result = ?5, result_cut = ?9
      WHERE id = ?6 AND run = ?7 AND last_event = ?8 AND state = 'running' AND cancel_requested = 0`)
    this.#attempt =
      db.prepare(`INSERT INTO attempts (id, run, started_at, ended_at, provider, model, cost_usd, turns, note)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`)
    this.#bareAttempt = db.prepare('INSERT INTO attempts (id, run, started_at, ended_at) VALUES (?, ?, ?, ?)')
  }

  /** Clears the cache after a rollback: an event number in it may belong to another event now. */
  forget(): void {
    this.#left.clear()
  }

  /** Something else was written about an operation. */
  changed(operation: number): void {
    this.#left.delete(operation)
  }

  /** Starts those that can be started, in this order. Reads them with one query, because every query costs time. */
  startAll(ids: readonly number[]): Started[] {
    const now = this.#time.now()
    const found = this.#rows.all(JSON.stringify(ids)) as unknown as (readonly unknown[])[]
    const rows = new Map(found.map(values => [values[0] as number, rowOf(values)]))
    return ids.flatMap(id => {
      const row = rows.get(id)
      return row?.state === 'scheduled' ? [this.#begin(row, now)] : []
    })
  }

  #begin(row: OperationRow, now: number): Started {
    row.run++
    const event = this.#events.of(row, now, 'claimed')
    const isHeld = row.held_by !== null
    // It waited until it was due; after that, it waited for its turn.
    const until = Math.min(now, row.due_at)
    if (row.waiting === 'retry' && !isHeld && until > row.since)
      row.retrying_ms += (this.#covered.get(row.capability, row.since, until) as { ms: number }).ms
    const update = isHeld ? this.#startHeld : this.#start
    update.run(row.run, row.retrying_ms, now, event, row.id)
    row.state = 'running'
    row.held_by = null
    row.since = row.updated_at = now
    row.last_event = event
    this.#leave(row)
    return { operation: toOperation(row) as RunningOperation }
  }

  #leave({ id, run, since, due_at, attempts, last_event }: OperationRow): void {
    this.#left.set(id, { id, run, since, due_at, attempts, last_event })
    // Drop the oldest: a lost runner never ended them.
    if (this.#left.size > MOST_LEFT) this.#left.delete(this.#left.keys().next().value as number)
  }

  /** The usual end, without reading the row first; undefined if it is another, or the row is not as this connection left it. */
  succeed(fence: Fence, settlement: Settlement): Settled | undefined {
    const row = this.#left.get(numberOf(fence.id) ?? 0)
    if (row?.run !== fence.run || !isPlain(settlement)) return undefined
    this.#left.delete(row.id)
    const now = this.#time.now()
    const { attempt, result, resultCut } = settlement
    const { id, run, last_event } = row
    const number = attempt ? row.attempts + 1 : row.attempts
    const event = this.#events.next()
    const { changes } = this.#succeed.run(
      now,
      event,
      number,
      attempt?.costUsd ?? 0,
      result === undefined ? null : JSON.stringify(result),
      id,
      run,
      last_event,
      resultCut ? 1 : 0,
    )
    if (changes === 0) return undefined
    if (attempt) this.#write(attemptRowId(id, number), run, attempt)
    const cost = attempt?.costUsd === undefined ? {} : { cost_usd: attempt.costUsd }
    const about = { ...timesOf(row, now, attempt?.startedAt), ...cost }
    this.#events.write(event, row, now, 'succeeded', about)
    return { settled: true, event, state: 'succeeded' }
  }

  /** Most attempts that succeed have only times. */
  #write(id: number, run: number, { startedAt, endedAt, provider, model, costUsd, turns, note }: NewAttempt) {
    if (
      provider === undefined &&
      model === undefined &&
      costUsd === undefined &&
      turns === undefined &&
      note === undefined
    )
      this.#bareAttempt.run(id, run, startedAt, endedAt)
    else
      this.#attempt.run(
        id,
        run,
        startedAt,
        endedAt,
        provider ?? null,
        model ?? null,
        costUsd ?? null,
        turns ?? null,
        note === undefined ? null : JSON.stringify(withoutSecrets(note)),
      )
  }
}
