import { checkNames, namesOf } from '../../option/check-names.ts'
import { quietly } from '../../time/clean-up.ts'
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
import { checkAgenda } from '../row/agenda-rows.ts'
import type { RunnerRecord } from '../runner-record.ts'
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
import { readAgenda } from './agenda.ts'
import { ChangeNotice } from './change-notice.ts'
import { checkLedger } from './check.ts'
import { Cursors } from './cursors.ts'
import { Database, type DatabaseTrouble } from './database.ts'
import { DatabaseTime } from './database-time.ts'
import { DeliveryRecords } from './delivery-records.ts'
import { LabelRecords } from './label-records.ts'
import { Listing } from './listing.ts'
import { migrate, POSTGRES_SCHEMA_VERSION, schemaVersion } from './migrations.ts'
import { NoticeRecords } from './notice-records.ts'
import { OpenTransactions } from './open-transactions.ts'
import { OperationRows } from './operation-rows.ts'
import { type PostgresPlace, placeOf } from './place.ts'
import { PostgresTransaction } from './postgres-transaction.ts'
import { PostgresProviderStore } from './provider-store.ts'
import { prune } from './prune.ts'
import { Reads } from './reads.ts'
import { RememberedSteps } from './remembered-steps.ts'
import { RunnerRecords } from './runner-records.ts'
import { Settings } from './settings.ts'
import { SettledNumbers } from './settled-events.ts'
import type { Sql } from './sql.ts'
import type { BeforeCommit } from './touched.ts'
import { UnknownRecords } from './unknown-records.ts'
import { withinTransactionOf } from './within.ts'
import { WorkflowRecords } from './workflow-records.ts'

/** Address and limits of a ledger on PostgreSQL. */
export interface PostgresLedgerOptions {
  /**
   * Server, role and database: `postgres://role:password@host:5432/database`. Supports the parameters `sslmode` (such as
   * `verify-full`), `sslrootcert=FILE`, `sslcert=FILE`, `sslkey=FILE` and `schema=NAME`.
   */
  database: string
  /** Name of the schema, created if missing. Default the one in the address, else `mulligan`. */
  schema?: string
  /** Most connections of this process, besides one that listens. Default 8. */
  connections?: number
  /** How long a write waits for an unreachable server, in milliseconds. Default 60 s. */
  waitMs?: number
  /** Time limit of one statement, in milliseconds. Default 30 s. */
  statementMs?: number
  /** Whether a missing ledger is created; if false, it is an error. Default true. */
  create?: boolean
  /** Default the server's clock, so that all hosts agree. */
  time?: Time
}

/** Most connections of a process. */
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

/** Opens the ledger, and updates its schema if the role may. Throws `WrongArgument` for an unknown option. */
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
    await database.prepare()
    const time = options.time ?? new DatabaseTime(database)
    if (time instanceof DatabaseTime) await time.synchronise()
    return new PostgresLedger(database, time, wasThere)
  } catch (error) {
    await quietly(() => database.close())
    throw error
  }
}

/** Returns whether the ledger existed before. */
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
        `the ledger on ${label} is missing or out of date, and this role may not change its schema: let its owner run any mulligan command once (${error.message})`,
        { cause: error },
      )
    throw error
  }
  return version > 0
}

/** A ledger on PostgreSQL, shared by any number of hosts. */
export class PostgresLedger implements Ledger {
  /** Where it is. */
  readonly place: PostgresPlace
  /** The clock for all times in the ledger. */
  readonly time: Time
  readonly providers: PostgresProviderStore
  /** The connections, for an engine's own tables. */
  readonly database: Database
  /** Whether it existed before it was opened. */
  readonly wasThere: boolean
  readonly #notice: ChangeNotice
  readonly #openTransactions: OpenTransactions
  readonly #settled = new SettledNumbers()
  #closing: Promise<void> | undefined
  #beforeCommit: BeforeCommit | undefined
  #checks: ((sql: Sql) => Promise<Finding[]>) | undefined

  constructor(database: Database, time: Time, wasThere = true) {
    this.database = database
    this.wasThere = wasThere
    this.place = database.place
    this.time = time
    this.#notice = new ChangeNotice(database, time)
    this.#openTransactions = new OpenTransactions(database, time)
    this.providers = new PostgresProviderStore(database, this.#notice)
  }

  /** Runs the writes of one transaction; it ends when the work and all its writes have ended. */
  async transaction<T>(work: (writes: PostgresTransaction) => MaybePromise<T>): Promise<T> {
    const result = await this.database.transaction(sql => this.#inside(sql, work))
    this.#notice.own()
    return result
  }

  /**
   * The same inside a transaction of the caller, on the caller's connection: stored only when the caller commits. Restores
   * the caller's search path afterwards.
   */
  async within<T>(client: SqlClient, work: (writes: PostgresTransaction) => MaybePromise<T>): Promise<T> {
    return withinTransactionOf(client, this.database, sql => this.#inside(sql, work))
  }

  /**
   * Lets an engine keep its own data in step with the operations that wait: it is called inside every transaction that
   * changes them, at the end, and its check is part of the check of the ledger.
   */
  keepInStep(beforeCommit: BeforeCommit, check: (sql: Sql) => Promise<Finding[]>): void {
    this.#beforeCommit = beforeCommit
    this.#checks = check
  }

  #settledOn(sql: Sql): Promise<number> {
    return this.#settled.last(sql, this.database.lockClass)
  }

  async #inside<T>(sql: Sql, work: (writes: PostgresTransaction) => MaybePromise<T>): Promise<T> {
    const writes = new PostgresTransaction(sql, this.time)
    try {
      const value = await work(writes)
      await writes.end()
      if (!writes.touched.isEmpty) await this.#beforeCommit?.(sql, writes.touched)
      return value
    } catch (error) {
      await quietly(() => writes.abandon())
      throw error
    }
  }

  /** Reads on one connection, for an engine's own tables. */
  read<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.database.read(work)
  }

  /** Reports transactions that keep readers of events waiting to the listeners of `onTrouble`. Call it periodically. */
  tellOfOpenTransactions(): Promise<void> {
    return this.#openTransactions.look()
  }

  /**
   * Calls the listener once when the server becomes unreachable, once when it answers again, and once for each transaction
   * that keeps readers of events waiting for more than a minute. Returns a function that removes the listener.
   */
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
    return this.database.snapshot(sql => readAgenda(sql, query))
  }

  async events(query: EventQuery = {}): Promise<readonly LedgerEvent[]> {
    return this.read(async sql => new Reads(sql).events(query, await this.#settledOn(sql)))
  }

  async lastEvent(): Promise<number> {
    return this.read(async sql => new Reads(sql).lastEvent(await this.#settledOn(sql)))
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

  async advertise(runner: Omit<RunnerRecord, 'startedAt' | 'seenAt'>): Promise<void> {
    await this.transaction(({ sql }) => new RunnerRecords(sql).seen(runner, this.time.now()))
  }

  async withdraw(runner: string): Promise<void> {
    await this.transaction(({ sql }) => new RunnerRecords(sql).left(runner, this.time.now()))
  }

  async runners(): Promise<readonly RunnerRecord[]> {
    return this.read(sql => new RunnerRecords(sql).alive(this.time.now()))
  }

  async setting(name: string): Promise<unknown> {
    return this.read(sql => new Settings(sql).of(name))
  }

  async setSetting(name: string, value: unknown): Promise<void> {
    await this.transaction(({ sql }) => new Settings(sql).set(name, value))
  }

  async prune(policy: PrunePolicy = {}, signal?: AbortSignal): Promise<Pruned> {
    if (this.#closing) throw this.database.closed()
    const count = async (state: 'succeeded' | 'dead') => (await this.counts({ state })).total
    return prune(policy, { time: this.time, transaction: work => this.transaction(work), count }, signal)
  }

  /** Nothing to do: the server reuses free space, and autovacuum returns what it can. */
  async giveBack(_options?: unknown, signal?: AbortSignal): Promise<number> {
    if (this.#closing) throw this.database.closed()
    signal?.throwIfAborted()
    return 0
  }

  async compact(): Promise<Compacted> {
    if (this.#closing) throw this.database.closed()
    throw new LedgerError(
      'unsupported',
      `the ledger on ${this.place.label} is compacted by the server: autovacuum does it continuously, and VACUUM FULL rewrites a table while nothing runs`,
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

  /** Nothing to do: the server manages its own files. */
  async verify(): Promise<void> {}

  /** None: the server reuses free space. */
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
