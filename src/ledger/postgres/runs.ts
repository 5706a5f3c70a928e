import type { Time } from '../../time/time.ts'
import type { Started } from '../ledger.ts'
import type { RunningOperation } from '../operation.ts'
import type { OperationRow } from '../row/operation-row.ts'
import { toOperation } from '../row/to-operation.ts'
import type { Sql } from './sql.ts'
import { OF_RUNNING, RUN_BEGINS, START_DUE } from './start-due.ts'

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
  UPDATE operations o SET ${RUN_BEGINS('$3', '$4')} FROM numbered n WHERE o.id = n.id RETURNING ${OF_RUNNING}`

/** Begins runs. The run number fences every later write. */
export class Runs {
  readonly #sql: Sql
  readonly #time: Time

  constructor(sql: Sql, time: Time) {
    this.#sql = sql
    this.#time = time
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
    const addressOf = ({ id }: OperationRow) => places.get(id) as number
    return rows
      .sort((a, b) => addressOf(a) - addressOf(b))
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
}
