import { PgBoss } from 'pg-boss'
import type { Database } from '../../ledger/postgres/database.ts'
import type { PostgresLedger } from '../../ledger/postgres/postgres-ledger.ts'
import type { Sql } from '../../ledger/postgres/sql.ts'
import type { Touched, Waiting } from '../../ledger/postgres/touched.ts'
import { toId } from '../../ledger/row/rows.ts'
import { queueName } from './queue-name.ts'

/** pg-boss would delete jobs that wait longer than this, in seconds: ten years. Operations end by their own limits. */
const KEPT_SECONDS = 10 * 365 * 86_400

interface WaitingRow {
  id: number
  capability: string
  run: number
  rank: number
  due_at: number
}

/**
 * One pg-boss job for each pending run: "the next run of this operation, not before this time, with this priority", in a queue
 * for each capability. Jobs are sent and removed in the transaction that changes the operation's row, so a job exists exactly
 * while the operation waits and is not held.
 */
export class Jobs {
  /** Schema of pg-boss's own tables. */
  readonly schema: string
  readonly #database: Database
  readonly #boss: PgBoss
  readonly #queues = new Map<string, Promise<string>>()
  #started: Promise<unknown> | undefined

  constructor(ledger: PostgresLedger) {
    this.#database = ledger.database
    this.schema = jobSchemaOf(ledger.place.schema)
    this.#boss = new PgBoss({
      schema: this.schema,
      db: { executeSql: (text, values) => this.#database.aside(text, values) },
      // Jobs never expire or complete in pg-boss: the ledger has the leases, and a job is removed when its run begins.
      supervise: false,
      schedule: false,
      migrate: false,
    })
    this.#boss.on('error', () => {})
  }

  /** Creates pg-boss's tables if missing, and updates old ones. If several processes start at once, one does it. */
  open(): Promise<unknown> {
    this.#started ??= this.#open().catch((error: unknown) => {
      this.#started = undefined
      throw error
    })
    return this.#started
  }

  async #open(): Promise<void> {
    try {
      await this.#boss.start()
      return
    } catch {
      // Missing, or an older version.
    }
    const maker = new PgBoss({
      schema: this.schema,
      db: { executeSql: (text, values) => this.#database.aside(text, values) },
      supervise: false,
      schedule: false,
      migrate: true,
    })
    maker.on('error', () => {})
    await maker.start()
    await maker.stop({ graceful: false })
    await this.#boss.start()
  }

  async close(): Promise<void> {
    await this.#started?.catch(() => {})
    if (this.#started) await this.#boss.stop({ graceful: false })
  }

  /** Updates the jobs to match the changes of a transaction, inside it. */
  async keep(sql: Sql, { inserted, started, changed }: Touched): Promise<void> {
    await this.open()
    const begun = [...started].filter(([id]) => !inserted.has(id) && !changed.has(id))
    this.#takeAway(
      sql,
      begun.map(([id, { capability, run }]) => ({ id, capability, run: run - 1 })),
    )
    const fresh = [...inserted.values()].filter(({ id }) => !started.has(id) && !changed.has(id))
    if (changed.size > 0) {
      const rows = await sql.rows<WaitingRow & { waits: boolean }>(
        `SELECT id, capability, run, rank, due_at, state = 'scheduled' AND held_by IS NULL AS waits FROM operations
         WHERE id = ANY($1::bigint[])`,
        [[...changed]],
      )
      this.#takeAway(sql, rows)
      fresh.push(...rows.filter(({ waits }) => waits).map(toWaiting))
    }
    await this.send(sql, fresh)
  }

  /** Creates missing queues again: pg-boss's tables may have been restored or recreated without them. */
  forgetQueues(): void {
    this.#queues.clear()
  }

  /** Sends the job of the next run of each operation. */
  async send(sql: Sql, waiting: readonly Waiting[]): Promise<void> {
    for (const [capability, group] of Map.groupBy(waiting, each => each.capability))
      await this.#boss.insert(
        await this.#queueOf(capability),
        group.map(({ id, run, rank, dueAt }) => ({
          id: jobId(id, run + 1),
          data: { operation: toId(id), run: run + 1 },
          priority: 0 - rank,
          startAfter: new Date(dueAt).toISOString(),
          retentionSeconds: KEPT_SECONDS,
          expireInSeconds: 86_400,
        })),
        { db: bossOn(sql) },
      )
  }

  /** Removes the job of the next run of each operation, if there is one. */
  #takeAway(sql: Sql, operations: readonly { id: number; capability: string; run: number }[]): void {
    // Not through pg-boss, which waits for the answer: here the commit may follow at once.
    for (const [capability, group] of Map.groupBy(operations, each => each.capability))
      sql.send(`DELETE FROM ${this.schema}.job WHERE name = $1 AND id = ANY($2::uuid[])`, [
        queueName(capability),
        group.map(({ id, run }) => jobId(id, run + 1)),
      ])
  }

  /** Creates the queue of each capability when it is first needed. */
  #queueOf(capability: string): Promise<string> {
    const known = this.#queues.get(capability)
    if (known) return known
    const name = queueName(capability)
    const made = this.#boss
      .createQueue(name, { retryLimit: 0, retentionSeconds: KEPT_SECONDS })
      .then(() => name)
    this.#queues.set(capability, made)
    made.catch(() => this.#queues.delete(capability))
    return made
  }
}

/** Schema of the jobs of a ledger. */
export function jobSchemaOf(schema: string): string {
  return `${schema}_jobs`
}

/** The id of a run's job: no run has two. */
export function jobId(operation: number, run: number): string {
  const [high, low] = [hex(operation, 16), hex(run, 12)]
  return `${high.slice(0, 8)}-${high.slice(8, 12)}-${high.slice(12, 16)}-8000-${low}`
}

/** The run of an operation that a job is for. */
export interface RunOfJob {
  operation: number
  run: number
}

/** The run that {@link jobId} was computed from; undefined for an id that is not ours. */
export function runOfJob(id: string): RunOfJob | undefined {
  const [, high, run] = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4})-8000-([0-9a-f]{12})$/.exec(id) ?? []
  if (high === undefined || run === undefined) return undefined
  const operation = Number.parseInt(high.replaceAll('-', ''), 16)
  return Number.isSafeInteger(operation) ? { operation, run: Number.parseInt(run, 16) } : undefined
}

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, '0')
}

function toWaiting({ id, capability, run, rank, due_at }: WaitingRow): Waiting {
  return { id, capability, run, rank, dueAt: due_at }
}

/** pg-boss on the connection of a transaction. */
function bossOn(sql: Sql) {
  return { executeSql: (text: string, values: unknown[] = []) => sql.answer(text, values) }
}
