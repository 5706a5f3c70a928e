import type { Time } from '../../time/time.ts'
import type { NewAttempt } from '../attempt.ts'
import type { Appended, RunRecord, Started } from '../ledger.ts'
import type { Fence, RunningOperation } from '../operation.ts'
import { aboutFailure } from '../row/failed-attempt.ts'
import { lostRun } from '../row/lost-run.ts'
import type { OperationRow } from '../row/operation-row.ts'
import { toOperation } from '../row/to-operation.ts'
import type { Attempts } from './attempts.ts'
import type { OperationRows } from './operation-rows.ts'
import type { Sql } from './sql.ts'
import { RUN_BEGINS, START_DUE } from './start-due.ts'

/** The runner that gets a run, and for how long. */
export interface Lease {
  runner: string
  /** Milliseconds. */
  lengthMs: number
}

/** A request of a runner for due operations. */
export interface DueStart {
  capabilities: readonly string[]
  /** The lease for each of them, in milliseconds. */
  lengthsMs: readonly number[]
  limit: number
  runner: string
}

/** Begins any number of runs in one statement: locks scheduled rows, numbers and leases them, and writes their events. */
const START = `WITH locked AS (
    SELECT o.id, o.run, o.last_event, g.length, g.place FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY
      AS g(id, length, place) JOIN operations o ON o.id = g.id WHERE o.state = 'scheduled' ORDER BY o.id
      FOR UPDATE OF o),
  numbered AS (SELECT l.*, nextval('numbers') AS event FROM (SELECT * FROM locked ORDER BY place) l),
  told AS (INSERT INTO events (id, at, type, operation, run, previous)
    SELECT event, $3, 'claimed', id, run + 1, last_event FROM numbered)
  UPDATE operations o SET ${RUN_BEGINS('$3', '$4')} FROM numbered n WHERE o.id = n.id RETURNING o.*`

/** Begins runs, and records facts while they run. The run number fences every later write. */
export class Runs {
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

  async start(id: string, takeover?: { runner: string }, lease?: Lease): Promise<Started | undefined> {
    const row = await this.#rows.find(id, takeover ? 'running' : 'scheduled')
    if (!row) return undefined
    if (takeover) return this.#takeOver(row, takeover.runner, lease)
    return (await this.startAll([row.id], [lease?.lengthMs ?? null], lease?.runner))[0]
  }

  /** Starts those that are scheduled, in this order, each with a lease of its length. */
  async startAll(
    numbers: readonly number[],
    lengthsMs: readonly (number | null)[],
    runner?: string,
  ): Promise<Started[]> {
    if (numbers.length === 0) return []
    const values = [numbers, lengthsMs, this.#time.now(), runner ?? null]
    const rows = await this.#sql.rows<OperationRow>(START, values)
    const places = new Map(numbers.map((number, place) => [number, place]))
    const placeOf = ({ id }: OperationRow) => places.get(id) as number
    return rows
      .sort((a, b) => placeOf(a) - placeOf(b))
      .map(row => ({ operation: toOperation(row) as RunningOperation }))
  }

  /** Starts the most urgent due operations, at most `limit`; none while anything is paused or any provider is closed. */
  async startDue({ capabilities, lengthsMs, limit, runner }: DueStart): Promise<Started[]> {
    const rows = await this.#sql.rows<OperationRow>(START_DUE, [
      capabilities,
      lengthsMs,
      limit,
      this.#time.now(),
      runner,
    ])
    return rows
      .sort((a, b) => a.rank - b.rank || a.due_at - b.due_at || a.id - b.id)
      .map(row => ({ operation: toOperation(row) as RunningOperation }))
  }

  async #takeOver(row: OperationRow, from: string, lease: Lease | undefined): Promise<Started> {
    const now = this.#time.now()
    const lost = lostRun(row)
    await this.#rows.change(
      { ...row, run: row.run + 1 },
      {
        at: now,
        type: 'taken_over',
        data: { from },
        set: `run = run + 1, since = $1, run_cost_usd = 0, run_provider = NULL, runner = $7, lease_ms = $8,
          lease_until = $1 + $8, renewals = 0`,
        values: [lease?.runner ?? null, lease?.lengthMs ?? null],
      },
    )
    const started = await this.#sql.row<OperationRow>('SELECT * FROM operations WHERE id = $1', [row.id])
    return { operation: toOperation(started as OperationRow) as RunningOperation, lost }
  }

  async append(fence: Fence, attempt: NewAttempt, options: { lostRunner?: boolean } = {}): Promise<Appended> {
    const row = await this.#rows.running(fence)
    if (!('attempts' in row)) return row
    const number = row.attempts + 1
    const failure = await this.#attempts.write(row.id, number, row.run, attempt)
    const event = await this.#rows.change(row, {
      at: this.#time.now(),
      type: 'attempted',
      data: { attempt: number, ...aboutFailure(failure) },
      set: `attempts = $7, retries = retries + $8, waits = waits + $9, cost_usd = cost_usd + $10,
        agent_session = coalesce($11, agent_session)`,
      values: [
        number,
        options.lostRunner || attempt.verdict?.action === 'retry' ? 1 : 0,
        options.lostRunner ? 1 : 0,
        attempt.costUsd ?? 0,
        attempt.sessionId ?? null,
      ],
    })
    return { settled: true, event, number }
  }

  async record(fence: Fence, { agentSession, folder, provider, costUsd }: RunRecord): Promise<boolean> {
    const row = await this.#rows.running(fence)
    if (!('attempts' in row)) return false
    await this.#rows.change(row, {
      at: this.#time.now(),
      type: 'recorded',
      set: `agent_session = coalesce($7, agent_session), folder = coalesce($8, folder),
        run_provider = coalesce($9, run_provider), run_cost_usd = coalesce($10, run_cost_usd)`,
      values: [agentSession ?? null, folder ?? null, provider ?? null, costUsd ?? null],
    })
    return true
  }
}
