import { setTimeout as wait } from 'node:timers/promises'
import pg, { type ClientConfig, type Client as PgClient, type Pool, type PoolClient } from 'pg'
import { LedgerError } from '../error.ts'
import { quoted } from './migrations.ts'
import type { PostgresPlace } from './place.ts'
import { isCollision, isLost, isStorageError, ofDriver, toLedgerError } from './postgres-error.ts'
import { type Sql, sqlOn } from './sql.ts'

/** How a database is used. */
export interface DatabaseOptions {
  place: PostgresPlace
  /** Connections at most, beside the one that listens. */
  connections: number
  /** How long a write waits for a server that is away, in milliseconds. */
  waitMs: number
  /** Longest work of the server on one statement, and longest silence of a connection that was asked, in milliseconds. */
  statementMs: number
}

/** A database that is away, or answers again. */
export type DatabaseTrouble = { state: 'away'; reason: string } | { state: 'back' }

/** Tries of a transaction that collides with others. */
const MOST_COLLISIONS = 10
/** Between two tries to connect, in milliseconds. */
const RECONNECT_MS = 250
/** Longest wait for a connection to be made, in milliseconds. */
const CONNECT_MS = 5_000
/** How much later than the server we give up, in milliseconds, at most. */
const LATE_MS = 5_000
/** A connection that was left in the middle of a transaction is ended by the server after this, in milliseconds. */
const IDLE_IN_TRANSACTION_MS = 15_000

/** A server with a bounded pool of connections. Transactions survive the loss of a connection: each happens once, or not. */
export class Database {
  readonly place: PostgresPlace
  readonly #options: DatabaseOptions
  #pool: Pool | undefined
  #aside: Pool | undefined
  /** Of numbers that a transaction under way may still take; see `settled-events.ts`. */
  #lockClass = 0
  #away = false
  #closing: Promise<void> | undefined
  readonly #underWay = new Set<Promise<unknown>>()
  readonly #listeners = new Set<(trouble: DatabaseTrouble) => void>()

  constructor(options: DatabaseOptions) {
    this.place = options.place
    this.#options = options
  }

  /** Reads, on whatever connection is free. Tried once more where that one was dead. */
  async read<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    this.#refuseClosed()
    return this.#track(async () => {
      for (let tries = 0; ; tries++)
        try {
          const result = await this.#on(client => work(sqlOn(client)))
          this.#answers()
          return result
        } catch (error) {
          if (isLost(error) && tries === 0) continue
          throw this.#told(error, 'cannot read the ledger')
        }
    })
  }

  /** Reads that may take long and have to agree with each other. */
  snapshot<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.read(async sql => {
      await sql.exec(
        'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 0; SET LOCAL jit = off',
      )
      try {
        const result = await work(sql)
        await sql.exec('COMMIT')
        return result
      } catch (error) {
        await sql.exec('ROLLBACK').catch(() => {})
        throw error
      }
    })
  }

  /**
   * Writes, all or nothing. The work may be called again, after others were in the way or the connection was lost; where
   * the connection is lost over the commit itself, the server is asked what became of it.
   */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    this.#refuseClosed()
    return this.#track(() => this.#write(work))
  }

  /**
   * Asks on a connection of its own, outside of every transaction: for another library's upkeep, which must not wait for
   * those that wait for it.
   */
  async aside(
    text: string,
    values: readonly unknown[] = [],
  ): Promise<{ rows: unknown[]; rowCount: number | null }> {
    this.#refuseClosed()
    if (!this.#aside) {
      this.#aside = new pg.Pool({
        ...this.#config(),
        max: 1,
        idleTimeoutMillis: 10_000,
        allowExitOnIdle: true,
      })
      this.#aside.on('error', () => {})
    }
    return ofDriver(this.#aside.query(text, [...values]))
  }

  /** Another connection, for listening; the caller ends it. */
  async connectAlone(): Promise<PgClient> {
    const client = new pg.Client(this.#config())
    await client.connect()
    return client
  }

  /** Calls back when the server is away, once, and when it answers again. Returns the function that ends it. */
  onTrouble(listener: (trouble: DatabaseTrouble) => void): () => void {
    const entry = (trouble: DatabaseTrouble) => listener(trouble)
    this.#listeners.add(entry)
    return () => void this.#listeners.delete(entry)
  }

  /** Sets the class of advisory locks that transactions take; known once the schema is there. */
  set lockClass(value: number) {
    this.#lockClass = value
  }

  get lockClass(): number {
    return this.#lockClass
  }

  get isClosed(): boolean {
    return this.#closing !== undefined
  }

  /** All that was asked for until now has been answered, or has failed. */
  async answered(): Promise<void> {
    await Promise.allSettled([...this.#underWay])
  }

  /** What is under way ends first. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** The error of everything that is asked after the end. */
  closed(): LedgerError {
    return new LedgerError('closed', `the ledger on ${this.place.label} is closed`)
  }

  async #close(): Promise<void> {
    await this.answered()
    this.#listeners.clear()
    await this.#pool?.end()
    await this.#aside?.end()
  }

  async #write<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const end = performance.now() + this.#options.waitMs
    for (let collisions = 0; ; ) {
      let xid: string | undefined
      let done: { result: T } | undefined
      try {
        await this.#on(async client => {
          const sql = sqlOn(client)
          try {
            xid = await this.#begin(sql)
            const result = await work(sql)
            done = { result }
            await sql.exec('COMMIT')
          } catch (error) {
            if (!isLost(error)) await sql.exec('ROLLBACK')
            throw error
          }
        })
        this.#answers()
        return (done as unknown as { result: T }).result
      } catch (error) {
        if (isCollision(error) && ++collisions < MOST_COLLISIONS) {
          await wait(Math.random() * 20 * collisions)
          continue
        }
        if (!isLost(error)) throw this.#told(error, 'cannot write to the ledger')
        this.#isAway(error)
        if (performance.now() > end) throw this.#told(error, 'cannot write to the ledger')
        await wait(RECONNECT_MS)
        if (done && xid !== undefined && (await this.#isCommitted(xid, end))) return done.result
      }
    }
  }

  /** Begins, and says from which number on events may still appear. */
  async #begin(sql: Sql): Promise<string> {
    const [row] = (await sql.exec(
      this.#lockClass === 0
        ? 'BEGIN; SELECT pg_current_xact_id()::text AS xid'
        : `BEGIN; SELECT pg_current_xact_id()::text AS xid, pg_advisory_xact_lock_shared(${this.#lockClass},
          (CASE WHEN is_called THEN last_value ELSE 0 END & 2147483647)::int) FROM numbers`,
    )) as { xid: string }[]
    return row?.xid as string
  }

  /** What became of a transaction whose commit was not answered. */
  async #isCommitted(xid: string, end: number): Promise<boolean> {
    for (;;)
      try {
        const status = await this.#on(async client => {
          const row = await sqlOn(client).row<{ status: string | null }>(
            'SELECT pg_xact_status($1::xid8) AS status',
            [xid],
          )
          return row?.status
        })
        if (status !== 'in progress') return status === 'committed'
        // The server has not noticed yet that nobody is there; it ends what waits for us by itself.
        if (performance.now() > end + IDLE_IN_TRANSACTION_MS)
          throw new LedgerError('io', `whether a write to ${this.place.label} was kept is not known`)
        await wait(RECONNECT_MS)
      } catch (error) {
        if (!isLost(error)) throw error
        if (performance.now() > end)
          throw new LedgerError(
            'io',
            `whether a write to ${this.place.label} was kept is not known: the server is away since`,
            { cause: error },
          )
        await wait(RECONNECT_MS)
      }
  }

  async #on<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await ofDriver(this.#open().connect())
    let broken: Error | undefined
    const onError = (error: Error) => {
      broken = error
    }
    client.on('error', onError)
    try {
      return await work(client)
    } catch (error) {
      if (isLost(error)) broken = error as Error
      throw error
    } finally {
      client.off('error', onError)
      client.release(broken)
    }
  }

  #open(): Pool {
    if (this.#pool) return this.#pool
    const pool = new pg.Pool({
      ...this.#config(),
      max: this.#options.connections,
      idleTimeoutMillis: 30_000,
      allowExitOnIdle: true,
    })
    // One that nobody uses was lost: the next who needs one makes another.
    pool.on('error', () => {})
    this.#pool = pool
    return pool
  }

  #config(): ClientConfig {
    const { place, statementMs } = this.#options
    return {
      connectionString: place.connectionString,
      application_name: 'mulligan',
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 5_000,
      // The server gives up first, so that a timeout of ours means that it does not answer at all.
      query_timeout: statementMs + Math.min(statementMs, LATE_MS),
      options: `${place.options} -c search_path=${quoted(place.schema)} -c statement_timeout=${statementMs} -c idle_in_transaction_session_timeout=${IDLE_IN_TRANSACTION_MS} -c jit=off`,
    } as ClientConfig
  }

  #track<T>(work: () => Promise<T>): Promise<T> {
    const promise = work()
    this.#underWay.add(promise)
    const forget = () => void this.#underWay.delete(promise)
    promise.then(forget, forget)
    return promise
  }

  #refuseClosed(): void {
    if (this.#closing) throw this.closed()
  }

  /** Errors of the server in our words; mistakes in the work stay what they are. */
  #told(error: unknown, what: string): unknown {
    if (isLost(error)) this.#isAway(error)
    return isStorageError(error) ? toLedgerError(error, `${what} (${this.place.label})`) : error
  }

  #isAway(error: unknown): void {
    if (this.#away) return
    this.#away = true
    const { message, code } = error as { message?: string; code?: string }
    this.#tell({ state: 'away', reason: message || code || 'no answer' })
  }

  #answers(): void {
    if (!this.#away) return
    this.#away = false
    this.#tell({ state: 'back' })
  }

  #tell(trouble: DatabaseTrouble): void {
    for (const listener of [...this.#listeners]) listener(trouble)
  }
}
