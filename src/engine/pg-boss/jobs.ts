import { createHash } from 'node:crypto'
import { PgBoss } from 'pg-boss'
import type { Database } from '../../ledger/postgres/database.ts'
import type { PostgresLedger } from '../../ledger/postgres/postgres-ledger.ts'
import type { Sql } from '../../ledger/postgres/sql.ts'
import type { Touched, Waiting } from '../../ledger/postgres/touched.ts'
import { toId } from '../../ledger/row/rows.ts'

/** pg-boss would forget jobs that wait longer than this, in seconds: ten years. Operations end by their own bounds. */
const KEPT_SECONDS = 10 * 365 * 86_400
/** Longest name of a queue that is used as it is. */
const LONGEST_NAME = 100

interface WaitingRow {
  id: number
  capability: string
  run: number
  rank: number
  due_at: number
}

/**
 * One job of pg-boss for each run that is to come: "the next run of this operation, not before then, with this priority", in
 * a queue for each capability. Jobs are sent and taken away in the transaction that changes the operation's row, so there is
 * one exactly while the operation waits and is not held.
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
      // Jobs never expire and never end here: leases are the ledger's, and a job is taken away when its run begins.
      supervise: false,
      schedule: false,
      migrate: false,
    })
    this.#boss.on('error', () => {})
  }

  /** Makes pg-boss's tables where they are not there or old. Of several processes that start at once, one does. */
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
      // Not there, or of an older version.
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

  /** Makes the jobs agree with what a transaction changed, within it. */
  async keep(sql: Sql, { inserted, started, changed }: Touched): Promise<void> {
    await this.open()
    const begun = [...started].filter(([id]) => !inserted.has(id) && !changed.has(id))
    await this.#takeAway(
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
      await this.#takeAway(sql, rows)
      fresh.push(...rows.filter(({ waits }) => waits).map(toWaiting))
    }
    await this.send(sql, fresh)
  }

  /** Sends the job of each of their next runs. */
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

  /** Takes away the job of each of their next runs, where there is one. */
  async #takeAway(
    sql: Sql,
    operations: readonly { id: number; capability: string; run: number }[],
  ): Promise<void> {
    for (const [capability, group] of Map.groupBy(operations, each => each.capability))
      await this.#boss.deleteJob(
        await this.#queueOf(capability),
        group.map(({ id, run }) => jobId(id, run + 1)),
        { db: bossOn(sql) },
      )
  }

  /** A queue for each capability, made when it is first needed. */
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

/** The id of the job of one run: no run has two. */
export function jobId(operation: number, run: number): string {
  const [high, low] = [hex(operation, 16), hex(run, 12)]
  return `${high.slice(0, 8)}-${high.slice(8, 12)}-${high.slice(12, 16)}-8000-${low}`
}

/** SQL for the same. */
export const JOB_ID_SQL = (operation: string, run: string): string =>
  `(lpad(to_hex(${operation}), 16, '0') || '8000' || lpad(to_hex(${run}), 12, '0'))::uuid`

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, '0')
}

/** A name that pg-boss takes: what it does not is written as its number, and one that is too long is cut and told apart. */
export function queueName(capability: string): string {
  const name = capability.replaceAll(/[^\w\-/]/gu, each => `.${each.codePointAt(0)?.toString(16)}.`)
  if (name.length <= LONGEST_NAME) return name
  const digest = createHash('sha256').update(capability).digest('hex').slice(0, 16)
  return `${name.slice(0, LONGEST_NAME - 18)}..${digest}`
}

function toWaiting({ id, capability, run, rank, due_at }: WaitingRow): Waiting {
  return { id, capability, run, rank, dueAt: due_at }
}

/** pg-boss on the connection of a transaction. */
function bossOn(sql: Sql) {
  return { executeSql: (text: string, values: unknown[] = []) => sql.answer(text, values) }
}
