import { checkNames, namesOf } from '../../option/check-names.ts'
import type { Time } from '../../time/time.ts'
import type { Agenda, AgendaQuery } from '../agenda.ts'
import type { Attempt } from '../attempt.ts'
import type { Delivery, DeliveryFilter } from '../delivery.ts'
import { LedgerError } from '../error.ts'
import type { EventQuery, LedgerEvent } from '../event.ts'
import type { Counts, OperationFilter, Page, PageRequest } from '../filter.ts'
import type { Label, LabelFilter } from '../label.ts'
import type { Ledger, MaybePromise, SqlClient } from '../ledger.ts'
import type { Notice, NoticeFilter } from '../notice.ts'
import type { Operation } from '../operation.ts'
import type { RememberedStep } from '../remembered-step.ts'
import { checkAgenda, type DueCount, toAgenda } from '../row/agenda-rows.ts'
import { type RunnerRow, toRunner } from '../row/runner-row.ts'
import { RUNNER_AHEAD_MS, RUNNER_GONE_AFTER_MS, type RunnerRecord } from '../runner-record.ts'
import type { Unknown, UnknownFilter } from '../unknown.ts'
import type { Compacted, Finding, Pruned, PrunePolicy } from '../upkeep.ts'
import type {
  StepDeadline,
  StepOfOperation,
  StepResult,
  WorkflowAction,
  WorkflowRun,
  WorkflowRunFilter,
} from '../workflow-run.ts'
import { ChangeNotice, channelOf } from './change-notice.ts'
import { checkLedger } from './check.ts'
import { Cursors } from './cursors.ts'
import { Database, type DatabaseTrouble } from './database.ts'
import { DatabaseTime } from './database-time.ts'
import { DeliveryRecords } from './delivery-records.ts'
import { LabelRecords } from './label-records.ts'
import { Listing } from './listing.ts'
import { migrate, POSTGRES_SCHEMA_VERSION, schemaVersion } from './migrations.ts'
import { NoticeRecords } from './notice-records.ts'
import { OperationRows } from './operation-rows.ts'
import { type PostgresPlace, placeOf } from './place.ts'
import { PostgresTransaction } from './postgres-transaction.ts'
import { PostgresProviderStore } from './provider-store.ts'
import { prune } from './prune.ts'
import { Reads } from './reads.ts'
import { RememberedSteps } from './remembered-steps.ts'
import { lockClassOf } from './settled-events.ts'
import { type Sql, sqlOn } from './sql.ts'
import type { BeforeCommit } from './touched.ts'
import { UnknownRecords } from './unknown-records.ts'
import { WorkflowRecords } from './workflow-records.ts'

/** Where a ledger on PostgreSQL is, and how it is used. */
export interface PostgresLedgerOptions {
  /**
   * The server, role and database: `postgres://role:password@host:5432/database`. `sslmode=verify-full`, `sslrootcert=FILE`,
   * `sslcert=FILE` and `sslkey=FILE` are understood; `schema=NAME` too.
   */
  database: string
  /** Name of the schema, made if it is not there. Default the one in the address, else `mulligan`. */
  schema?: string
  /** Connections of this process at most, beside one that listens. Default 8. */
  connections?: number
  /** Longest wait of a write for a server that is away, in milliseconds. Default 60 s. */
  waitMs?: number
  /** Longest time for one statement, in milliseconds. Default 30 s. */
  statementMs?: number
  /** Whether it is made where it is not there; else that is an error. Default true. */
  create?: boolean
  /** Default the server's clock, so that all hosts agree. */
  time?: Time
}

/** Connections of a process at most. */
export const CONNECTIONS_DEFAULT = 8
const WAIT_DEFAULT_MS = 60_000
const STATEMENT_DEFAULT_MS = 30_000

const NAMES = namesOf<PostgresLedgerOptions>({
  database: true,
  schema: true,
  connections: true,
  waitMs: true,
  statementMs: true,
  create: true,
  time: true,
})

/** Opens the ledger, and brings its schema up to date where this role may. Throws `WrongArgument` for an option that does not exist. */
export async function openPostgresLedger(options: PostgresLedgerOptions): Promise<PostgresLedger> {
  checkNames('openPostgresLedger', options, NAMES)
  const database = new Database({
    place: placeOf(options.database, options.schema),
    connections: options.connections ?? CONNECTIONS_DEFAULT,
    waitMs: options.waitMs ?? WAIT_DEFAULT_MS,
    statementMs: options.statementMs ?? STATEMENT_DEFAULT_MS,
  })
  try {
    const wasThere = await bringUpToDate(database, options.create ?? true)
    database.lockClass = await database.read(lockClassOf)
    const time = options.time ?? new DatabaseTime(database)
    if (time instanceof DatabaseTime) await time.synchronise()
    return new PostgresLedger(database, time, wasThere)
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Gives whether it was there before. */
async function bringUpToDate(database: Database, create: boolean): Promise<boolean> {
  const { schema, label } = database.place
  const version = await database.read(sql => schemaVersion(sql, schema))
  if (version === POSTGRES_SCHEMA_VERSION) return true
  if (version === 0 && !create) throw new LedgerError('gone', `there is no ledger on ${label}`)
  try {
    await database.transaction(sql => migrate(sql, schema))
  } catch (error) {
    if (error instanceof LedgerError && error.code === 'read_only')
      throw new LedgerError(
        'read_only',
        `the ledger on ${label} is not there or not up to date, and this role may not change its schema: let its owner run any mulligan command once (${error.message})`,
        { cause: error },
      )
    throw error
  }
  return version > 0
}

/** A ledger on PostgreSQL, which any number of hosts share. */
export class PostgresLedger implements Ledger {
  /** Where it is. */
  readonly place: PostgresPlace
  /** The clock that all its times come from. */
  readonly time: Time
  readonly providers: PostgresProviderStore
  /** The connections, for an engine's own tables. */
  readonly database: Database
  /** Whether it was there before it was opened. */
  readonly wasThere: boolean
  readonly #notice: ChangeNotice
  #closing: Promise<void> | undefined
  #beforeCommit: BeforeCommit | undefined
  #checks: ((sql: Sql) => Promise<Finding[]>) | undefined

  constructor(database: Database, time: Time, wasThere = true) {
    this.database = database
    this.wasThere = wasThere
    this.place = database.place
    this.time = time
    this.#notice = new ChangeNotice(database, time)
    this.providers = new PostgresProviderStore(database, this.#notice)
  }

  /** Runs the writes of one transaction; it ends when the work and all its writes have. */
  async transaction<T>(work: (writes: PostgresTransaction) => MaybePromise<T>): Promise<T> {
    const result = await this.database.transaction(sql => this.#inside(sql, work))
    this.#notice.own()
    return result
  }

  /**
   * The same within a transaction of somebody else, on their connection: kept when they commit it, and not before. Their
   * search path is theirs again afterwards.
   */
  async within<T>(client: SqlClient, work: (writes: PostgresTransaction) => MaybePromise<T>): Promise<T> {
    const { lockClass, place } = this.database
    const sql = sqlOn(client)
    const before = await sql.row<{ path: string }>("SELECT current_setting('search_path') AS path")
    const setPath = (path: string) => sql.run("SELECT set_config('search_path', $1, true)", [path])
    await setPath(place.schema)
    try {
      await sql.exec(
        `SELECT pg_advisory_xact_lock_shared(${lockClass}, (CASE WHEN is_called THEN last_value ELSE 0 END & 2147483647)::int) FROM numbers`,
      )
      const value = await this.#inside(sql, work)
      // Heard when they commit, if they do.
      await sql.run('SELECT pg_notify($1, $2)', [channelOf(place.schema), 'within'])
      return value
    } finally {
      await setPath(before?.path ?? 'public').catch(() => {})
    }
  }

  /**
   * An engine keeps something in step with the operations that wait: called at the end of every transaction that changes
   * them, within it; and asked, when the ledger is checked, whether it is.
   */
  keepInStep(beforeCommit: BeforeCommit, check: (sql: Sql) => Promise<Finding[]>): void {
    this.#beforeCommit = beforeCommit
    this.#checks = check
  }

  async #inside<T>(sql: Sql, work: (writes: PostgresTransaction) => MaybePromise<T>): Promise<T> {
    const writes = new PostgresTransaction(sql, this.time)
    try {
      const value = await work(writes)
      await writes.end()
      if (!writes.touched.isEmpty) await this.#beforeCommit?.(sql, writes.touched)
      return value
    } catch (error) {
      await writes.abandon()
      throw error
    }
  }

  /** Reads on one connection, for an engine's own tables. */
  read<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.database.read(work)
  }

  /** Calls back when the server is away, once, and when it answers again. Returns the function that ends it. */
  onTrouble(listener: (trouble: DatabaseTrouble) => void): () => void {
    return this.database.onTrouble(listener)
  }

  async get(id: string): Promise<Operation | undefined> {
    return this.read(sql => new Reads(sql).get(id))
  }

  async find(capability: string, key: string): Promise<Operation | undefined> {
    return this.read(sql => new Reads(sql).find(capability, key))
  }

  async attempts(id: string): Promise<readonly Attempt[]> {
    return this.read(sql => new Reads(sql).attempts(id))
  }

  async timeline(id: string): Promise<readonly LedgerEvent[]> {
    return this.read(sql => new Reads(sql).timeline(id))
  }

  async list(filter: OperationFilter = {}, page: PageRequest = {}): Promise<Page<Operation>> {
    return this.read(sql => new Listing(sql).page(filter, page))
  }

  async counts(filter: OperationFilter = {}): Promise<Counts> {
    return this.database.snapshot(sql => new Listing(sql).counts(filter, this.time.now()))
  }

  async nextDueAt(): Promise<number | undefined> {
    return this.read(sql => new Reads(sql).nextDueAt())
  }

  async agenda(query: AgendaQuery): Promise<Agenda> {
    checkAgenda(query)
    const { from, stepMs, steps } = query
    return this.database.snapshot(async sql =>
      toAgenda(
        steps,
        await sql.rows<DueCount>(
          `SELECT provider, CASE WHEN due_at < $1 THEN -1 ELSE least((due_at - $1) / $2, $3) END AS step, count(*) AS n
           FROM operations WHERE state = 'scheduled' AND held_by IS NULL GROUP BY 1, 2`,
          [Math.round(from), stepMs, steps],
        ),
        await sql.rows<{ provider: string; n: number }>(
          'SELECT held_by AS provider, count(*) AS n FROM operations WHERE held_by IS NOT NULL GROUP BY 1',
        ),
      ),
    )
  }

  async events(query: EventQuery = {}): Promise<readonly LedgerEvent[]> {
    return this.read(sql => new Reads(sql).events(query, this.database.lockClass))
  }

  async lastEvent(): Promise<number> {
    return this.read(sql => new Reads(sql).lastEvent(this.database.lockClass))
  }

  async cursor(consumer: string): Promise<number> {
    return this.read(sql => new Cursors(sql).of(consumer))
  }

  moveCursor(consumer: string, from: number, to: number): Promise<boolean> {
    return this.transaction(writes => writes.moveCursor(consumer, from, to))
  }

  onChange(listener: (own: boolean) => void): () => void {
    return this.#notice.listen(listener)
  }

  async unknowns(filter: UnknownFilter = {}, page: PageRequest = {}): Promise<Page<Unknown>> {
    return this.read(sql => new UnknownRecords(sql, this.time, new OperationRows(sql)).page(filter, page))
  }

  async unknown(fingerprint: string): Promise<readonly Unknown[]> {
    return this.read(sql => new UnknownRecords(sql, this.time, new OperationRows(sql)).of(fingerprint))
  }

  async labels(filter: LabelFilter = {}): Promise<readonly Label[]> {
    return this.read(sql => new LabelRecords(sql, this.time, new OperationRows(sql)).list(filter))
  }

  async notices(filter: NoticeFilter = {}, page: PageRequest = {}): Promise<Page<Notice>> {
    return this.read(sql => new NoticeRecords(sql, this.time).page(filter, page))
  }

  async deliveries(filter: DeliveryFilter = {}, page: PageRequest = {}): Promise<Page<Delivery>> {
    return this.read(sql => new DeliveryRecords(sql, this.time).page(filter, page))
  }

  async workflowRun(id: string): Promise<WorkflowRun | undefined> {
    return this.database.snapshot(sql => new WorkflowRecords(sql, this.time).get(id))
  }

  async workflowRuns(filter: WorkflowRunFilter = {}, page: PageRequest = {}): Promise<Page<WorkflowRun>> {
    return this.database.snapshot(sql => new WorkflowRecords(sql, this.time).page(filter, page))
  }

  async workflowPlan(id: string): Promise<unknown> {
    return this.read(sql => new WorkflowRecords(sql, this.time).plan(id))
  }

  async stepResult(run: string, step: number): Promise<StepResult | undefined> {
    return this.read(sql => new WorkflowRecords(sql, this.time).result(run, step))
  }

  async workflowActions(run: string): Promise<readonly WorkflowAction[]> {
    return this.read(sql => new WorkflowRecords(sql, this.time).actions(run))
  }

  async stepsOfOperations(operations: readonly string[]): Promise<readonly StepOfOperation[]> {
    return this.read(sql => new WorkflowRecords(sql, this.time).ofOperations(operations))
  }

  async stepDeadlines(most: number): Promise<readonly StepDeadline[]> {
    return this.read(sql => new WorkflowRecords(sql, this.time).deadlines(most))
  }

  async rememberedSteps(operation: string): Promise<readonly RememberedStep[]> {
    return this.read(sql => new RememberedSteps(sql, this.time).of(operation))
  }

  async advertise({ id, capabilities, label }: Omit<RunnerRecord, 'startedAt' | 'seenAt'>): Promise<void> {
    await this.transaction(async ({ sql, coverage }) => {
      const now = this.time.now()
      await sql.run(
        `INSERT INTO runners (id, capabilities, label, started_at, seen_at) VALUES ($1, $2, $3, $4, $4)
         ON CONFLICT (id) DO UPDATE SET capabilities = $2, label = $3, seen_at = $4`,
        [id, JSON.stringify(capabilities), label ?? null, now],
      )
      const long = 60 * RUNNER_GONE_AFTER_MS
      await sql.run('DELETE FROM runners WHERE seen_at NOT BETWEEN $1 AND $2', [now - long, now + long])
      await lockRunners(sql)
      await coverage.seen(capabilities, now)
      await sql.run("SELECT nextval('changes')")
    })
  }

  async withdraw(runner: string): Promise<void> {
    await this.transaction(async ({ sql, coverage }) => {
      await lockRunners(sql)
      const gone = await sql.row<RunnerRow>('DELETE FROM runners WHERE id = $1 RETURNING *', [runner])
      if (!gone) return
      const now = this.time.now()
      const alive = await sql.rows<RunnerRow>(ALIVE, aliveAt(now))
      const served = new Set(alive.flatMap(row => toRunner(row).capabilities))
      await coverage.left(
        toRunner(gone).capabilities.filter(name => !served.has(name)),
        now,
      )
      await sql.run("SELECT nextval('changes')")
    })
  }

  async runners(): Promise<readonly RunnerRecord[]> {
    const rows = await this.read(sql => sql.rows<RunnerRow>(ALIVE, aliveAt(this.time.now())))
    return rows.map(toRunner)
  }

  async setting(name: string): Promise<unknown> {
    const row = await this.read(sql =>
      sql.row<{ value: string }>('SELECT value FROM settings WHERE name = $1', [name]),
    )
    return row && (JSON.parse(row.value) as unknown)
  }

  async setSetting(name: string, value: unknown): Promise<void> {
    await this.transaction(async ({ sql }) => {
      if (value === undefined) await sql.run('DELETE FROM settings WHERE name = $1', [name])
      else
        await sql.run(
          'INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = $2',
          [name, JSON.stringify(value)],
        )
      await sql.run("SELECT nextval('changes')")
    })
  }

  async prune(policy: PrunePolicy = {}, signal?: AbortSignal): Promise<Pruned> {
    if (this.#closing) throw this.database.closed()
    const count = async (state: 'succeeded' | 'dead') => (await this.counts({ state })).total
    return prune(policy, { time: this.time, transaction: work => this.transaction(work), count }, signal)
  }

  /** Nothing to do: the server uses again what is free, and its autovacuum gives back what it can. */
  async giveBack(_options?: unknown, signal?: AbortSignal): Promise<number> {
    if (this.#closing) throw this.database.closed()
    signal?.throwIfAborted()
    return 0
  }

  async compact(): Promise<Compacted> {
    if (this.#closing) throw this.database.closed()
    throw new LedgerError(
      'unsupported',
      `the ledger on ${this.place.label} is compacted by the server: autovacuum does it all the time, VACUUM FULL rewrites a table while nothing runs`,
    )
  }

  async backup(_file: string): Promise<void> {
    if (this.#closing) throw this.database.closed()
    const { schema, label } = this.place
    throw new LedgerError(
      'unsupported',
      `the ledger on ${label} is backed up by the server's own tools: pg_dump --schema=${schema} --schema=${schema}_jobs, or a base backup`,
    )
  }

  /** Nothing to do: the server looks after its files. */
  async verify(): Promise<void> {}

  /** None: the server uses again what is free. */
  stuckBytes(): number {
    return 0
  }

  async check(): Promise<readonly Finding[]> {
    return this.database.snapshot(async sql => [
      ...(await checkLedger(sql)),
      ...((await this.#checks?.(sql)) ?? []),
    ])
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    await this.#notice.close()
    await this.database.close()
  }
}

const ALIVE = 'SELECT * FROM runners WHERE seen_at BETWEEN $1 AND $2 ORDER BY id'
const aliveAt = (now: number) => [now - RUNNER_GONE_AFTER_MS, now + RUNNER_AHEAD_MS]

/** Runners come and go one at a time, because the stretches of time that they cover are shared. */
async function lockRunners(sql: Sql): Promise<void> {
  await sql.run('LOCK TABLE attendance IN SHARE ROW EXCLUSIVE MODE')
}
