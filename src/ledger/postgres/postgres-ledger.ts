import { checkNames, namesOf } from '../../option/check-names.ts'
import { quietly } from '../../time/clean-up.ts'
import type { Time } from '../../time/time.ts'
import type { Agenda, AgendaQuery } from '../agenda.ts'
import { LedgerError } from '../error.ts'
import type { EventQuery, LedgerEvent } from '../event.ts'
import type { Counts, ListRequest, OperationFilter, Page } from '../filter.ts'
import type { Ledger, SqlClient } from '../ledger.ts'
import type { Operation } from '../operation.ts'
import { PRUNE_STEP_DEFAULT } from '../prune-bounds.ts'
import { agendaOf } from '../record/agenda.ts'
import type { Asking } from '../record/asking.ts'
import { prune } from '../record/pruning.ts'
import { Records } from '../record/records.ts'
import type { Compacted, Finding, LedgerSize, Pruned, PrunePolicy } from '../upkeep.ts'
import { type MaybePromise, resultOf, type Writing } from '../writing.ts'
import { addressOf, type PostgresAddress } from './address.ts'
import { answer } from './answer.ts'
import { ChangeNotice } from './change-notice.ts'
import { checkLedger } from './check.ts'
import { OLD_MARKERS } from './commit-marker.ts'
import { Database, type DatabaseTrouble, type TransactionOptions } from './database.ts'
import { DatabaseTime } from './database-time.ts'
import { Listing } from './listing.ts'
import { migrate, POSTGRES_SCHEMA_VERSION, schemaVersion } from './migrations.ts'
import { OpenTransactions } from './open-transactions.ts'
import { PostgresTransaction } from './postgres-transaction.ts'
import { PostgresProviderStore } from './provider-store.ts'
import { forgetEnded } from './prune.ts'
import { Reads } from './reads.ts'
import { PostgresResults } from './results.ts'
import { SettledNumbers } from './settled-events.ts'
import type { Sql } from './sql.ts'
import { withinTransactionOf } from './within.ts'

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
    place: addressOf(options.database, options.schema),
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
export class PostgresLedger extends Records implements Ledger {
  /** Where it is. */
  readonly place: PostgresAddress
  readonly providers: PostgresProviderStore
  readonly results: PostgresResults
  /** The connections, for an engine's own tables. */
  readonly database: Database
  /** Whether it existed before it was opened. */
  readonly wasThere: boolean
  readonly #notice: ChangeNotice
  readonly #openTransactions: OpenTransactions
  readonly #settled = new SettledNumbers()
  #closing: Promise<void> | undefined

  constructor(database: Database, time: Time, wasThere = true) {
    super(time)
    this.database = database
    this.wasThere = wasThere
    this.place = database.place
    this.results = new PostgresResults(database)
    this.#notice = new ChangeNotice(database, time)
    this.#openTransactions = new OpenTransactions(database, time)
    this.providers = new PostgresProviderStore(this, database, this.#notice)
  }

  /** Runs the writes of one transaction; it ends when the work and all its writes have ended. */
  async transaction<T>(
    work: (writes: PostgresTransaction) => MaybePromise<T> | Writing<T>,
    options?: TransactionOptions,
  ): Promise<T> {
    const result = await this.database.transaction(sql => this.#inside(sql, work), options)
    this.#notice.own()
    return result
  }

  /**
   * The same inside a transaction of the caller, on the caller's connection: stored only when the caller commits. Restores
   * the caller's search path afterwards.
   */
  async within<T>(
    client: SqlClient,
    work: (writes: PostgresTransaction) => MaybePromise<T> | Writing<T>,
  ): Promise<T> {
    return withinTransactionOf(client, this.database, sql => this.#inside(sql, work))
  }

  #settledOn(sql: Sql): Promise<number> {
    return this.#settled.last(sql, this.database.lockClass)
  }

  async #inside<T>(
    sql: Sql,
    work: (writes: PostgresTransaction) => MaybePromise<T> | Writing<T>,
  ): Promise<T> {
    const writes = new PostgresTransaction(sql, this.time)
    try {
      const value = await resultOf(work(writes))
      await writes.end()
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

  ask<T>(questions: () => Asking<T>): Promise<T> {
    return this.read(sql => answer(sql, questions()))
  }

  write<T>(questions: () => Asking<T>): Promise<T> {
    return this.transaction(({ sql }) => answer(sql, questions()))
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

  async list(filter: OperationFilter = {}, page: ListRequest = {}): Promise<Page<Operation>> {
    return this.read(sql => new Listing(sql).page(filter, page, this.time.now()))
  }

  async counts(filter: OperationFilter = {}): Promise<Counts> {
    return this.database.snapshot(sql => new Listing(sql).counts(filter, this.time.now()))
  }

  async agenda(query: AgendaQuery): Promise<Agenda> {
    return this.database.snapshot(sql => answer(sql, agendaOf(query, this.time.now())))
  }

  async events(query: EventQuery = {}): Promise<readonly LedgerEvent[]> {
    return this.read(async sql => new Reads(sql).events(query, await this.#settledOn(sql)))
  }

  async lastEvent(): Promise<number> {
    // Its number, unless the transaction that took the last one was undone: that means the same to all who read on from there.
    return this.read(sql => this.#settledOn(sql))
  }

  onChange(listener: (own: boolean) => void): () => void {
    return this.#notice.listen(listener)
  }

  async prune(policy: PrunePolicy = {}, signal?: AbortSignal): Promise<Pruned> {
    if (this.#closing) throw this.database.closed()
    const oldMarkers = () => this.transaction(({ sql }) => sql.run(OLD_MARKERS, [PRUNE_STEP_DEFAULT]))
    while ((await oldMarkers()) === PRUNE_STEP_DEFAULT) signal?.throwIfAborted()
    return prune(
      policy,
      {
        time: this.time,
        forget: old => forgetEnded(old, this.time, work => this.transaction(work), signal),
        count: async state => (await this.counts({ state })).total,
        ask: questions => this.ask(questions),
        write: questions => this.write(questions),
      },
      signal,
    )
  }

  /** Nothing to do: the server reuses free space, and autovacuum returns what it can. */
  async giveBack(_options?: unknown, signal?: AbortSignal): Promise<number> {
    if (this.#closing) throw this.database.closed()
    signal?.throwIfAborted()
    return 0
  }

  async size(): Promise<LedgerSize> {
    const found = await this.read(sql =>
      sql.row<{ bytes: number }>(
        `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::float8 AS bytes
         FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname = $1 AND c.relkind IN ('r', 'm')`,
        [this.place.schema],
      ),
    )
    return { bytes: found?.bytes ?? 0 }
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
      `the ledger on ${label} is backed up by the server's own tools: pg_dump --schema=${schema}, or a base backup`,
    )
  }

  /** Nothing to do: the server manages its own files. */
  async verify(): Promise<void> {}

  /** None: the server reuses free space. */
  stuckBytes(): number {
    return 0
  }

  async check(): Promise<readonly Finding[]> {
    return this.database.snapshot(checkLedger)
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
