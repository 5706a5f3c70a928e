import { setTimeout as wait } from 'node:timers/promises'
import type { Client as PgClient, PoolClient } from 'pg'
import { LedgerError } from '../error.ts'
import type { PostgresAddress } from './address.ts'
import { type CommitMarker, CommitMarkers, isCommitted, MARK } from './commit-marker.ts'
import { Connections, type ConnectionsOptions, IDLE_IN_TRANSACTION_MS, LATE_MS } from './connections.ts'
import { firstError, isCollision, isLost, isStorageError, ofDriver, toLedgerError } from './postgres-error.ts'
import { lockClassOf } from './settled-events.ts'
import { type Sql, type SqlOptions, sqlOn } from './sql.ts'
import { UnsureCommit } from './unsure-commit.ts'

/** How a database is used. */
export interface DatabaseOptions extends ConnectionsOptions {
  /** How long a write waits for an unreachable server, in milliseconds. */
  waitMs: number
}

/** The database is unreachable, or answers again; or an open transaction keeps readers of events waiting. */
export type DatabaseTrouble =
  | { state: 'away'; reason: string }
  | { state: 'back' }
  | {
      state: 'held_up'
      /** The server process that has the transaction open. */
      pid: number
      /** A description of that process, for people. */
      by: string
    }

/** Most tries of a transaction that collides with others. */
export const MOST_COLLISIONS = 10
/** Pause between two tries to connect, in milliseconds. */
const RECONNECT_MS = 250
/** Time limit of the server for one statement of a full read, in milliseconds. */
const LONG_READ_MS = 3_600_000
/** Least time to find out the fate of a commit, even after the time for the write is over, in milliseconds. */
const ASK_FATE_MS = 5_000

/**
 * Statements travel with their BEGIN, before it is answered. Where nothing else is said our connections only read, so that
 * none of them takes effect alone if the BEGIN is cancelled.
 */
const BEGIN = 'BEGIN READ WRITE'
/** The server would plan some statements anew at each call, because it expects more of a LIMIT that it knows. */
const BEGIN_PLANNED = `${BEGIN}; SET LOCAL plan_cache_mode = force_generic_plan`
/** For the rest of a transaction that plans each statement once, lets the server decide when to plan. */
export const PLANS_AS_NEEDED = 'SET LOCAL plan_cache_mode = auto'

async function between<T>(sql: Sql, begin: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  await sql.exec(begin)
  try {
    const result = await work(sql)
    await sql.exec('COMMIT')
    return result
  } catch (error) {
    await sql.exec('ROLLBACK').catch(() => {})
    throw error
  }
}

/** How a transaction runs. */
export interface TransactionOptions {
  /** Whether each statement is planned once per connection, whatever its values. Default: the server decides. */
  plansOnce?: boolean
}

/** How far a transaction got before it failed. */
interface Written<T> {
  marker?: CommitMarker | undefined
  /** Set when only the commit is left. */
  done?: { result: T }
}

/** The reads and writes of a ledger. Transactions survive a lost connection: each happens once or not at all. */
export class Database {
  readonly place: PostgresAddress
  readonly #waitMs: number
  readonly #connections: Connections
  /** Lock class for the numbers of open transactions; see `settled-events.ts`. */
  #lockClass = 0
  readonly #markers = new CommitMarkers()
  #away = false
  #closing: Promise<void> | undefined
  readonly #underWay = new Set<Promise<unknown>>()
  readonly #listeners = new Set<(trouble: DatabaseTrouble) => void>()

  constructor(options: DatabaseOptions) {
    this.place = options.place
    this.#waitMs = options.waitMs
    this.#connections = new Connections(options)
  }

  /** Reads on any free connection. Tries again once after a lost connection, and several times after a collision. */
  async read<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    this.#refuseClosed()
    return this.#track(() => this.#read(work))
  }

  async #read<T>(work: (sql: Sql) => Promise<T>, options?: SqlOptions): Promise<T> {
    for (let losses = 0, collisions = 0; ; )
      try {
        const result = await this.#connections.on(client => work(sqlOn(client, options)))
        this.#answers()
        return result
      } catch (error) {
        if (isLost(error) && losses++ === 0) continue
        // A single statement that locks rows, such as a renewal of leases, may collide too.
        if (isCollision(error) && ++collisions < MOST_COLLISIONS) {
          await wait(Math.random() * 20 * collisions)
          continue
        }
        throw this.#toOurError(error, 'cannot read the ledger')
      }
  }

  /** Reads that may take long and must see the same state. */
  snapshot<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const begin = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = ${LONG_READ_MS}; SET LOCAL enable_seqscan = on`
    return this.#between(begin, work, { answersWithinMs: LONG_READ_MS + LATE_MS })
  }

  /** A write that may happen twice, such as a renewal of leases: tried again like a read, and not kept for later. */
  change<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#between(BEGIN, work)
  }

  #between<T>(begin: string, work: (sql: Sql) => Promise<T>, options?: SqlOptions): Promise<T> {
    this.#refuseClosed()
    return this.#track(() => this.#read(sql => between(sql, begin, work), options))
  }

  /**
   * Writes all or nothing. The work may be called again after a collision or a lost connection. If the connection is lost
   * during the commit, the server is asked whether it was stored.
   */
  transaction<T>(work: (sql: Sql) => Promise<T>, options?: TransactionOptions): Promise<T> {
    this.#refuseClosed()
    return this.#track(() => this.#write(work, options))
  }

  /** A separate connection, for listening; the caller ends it. */
  connectAlone(): Promise<PgClient> {
    return this.#connections.alone()
  }

  /** Calls the listener on every {@link DatabaseTrouble}. Returns a function that removes the listener. */
  onTrouble(listener: (trouble: DatabaseTrouble) => void): () => void {
    const entry = (trouble: DatabaseTrouble) => listener(trouble)
    this.#listeners.add(entry)
    return () => void this.#listeners.delete(entry)
  }

  /** Reads what transactions must know about the server. Call it once the schema exists. */
  async prepare(): Promise<void> {
    this.#lockClass = await this.read(lockClassOf)
  }

  /** The class of advisory locks that transactions take. */
  get lockClass(): number {
    return this.#lockClass
  }

  get isClosed(): boolean {
    return this.#closing !== undefined
  }

  /** Waits until everything asked so far is answered or has failed. */
  async answered(): Promise<void> {
    await Promise.allSettled([...this.#underWay])
  }

  /** Closes after everything that is in progress has ended. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** The error for every request after closing. */
  closed(): LedgerError {
    return new LedgerError('closed', `the ledger on ${this.place.label} is closed`)
  }

  async #close(): Promise<void> {
    await this.answered()
    this.#listeners.clear()
    await this.#connections.close()
  }

  async #write<T>(work: (sql: Sql) => Promise<T>, options?: TransactionOptions): Promise<T> {
    const begin = options?.plansOnce ? BEGIN_PLANNED : BEGIN
    const end = performance.now() + this.#waitMs
    for (let collisions = 0; ; ) {
      const written: Written<T> = {}
      try {
        await this.#connections.on((client, discard) => this.#writeOn(client, discard, begin, work, written))
        this.#answers()
        return (written.done as { result: T }).result
      } catch (error) {
        if (isCollision(error) && ++collisions < MOST_COLLISIONS) {
          await wait(Math.random() * 20 * collisions)
          continue
        }
        if (!isLost(error)) throw this.#toOurError(error, 'cannot write to the ledger')
        this.#isAway(error)
        const isOver = performance.now() > end
        if (!isOver) await wait(RECONNECT_MS)
        const { done, marker } = written
        // Even when the time is over: a caller that hears that nothing was written may write it again.
        const askUntil = Math.max(end, performance.now() + ASK_FATE_MS)
        const isStored = marker !== undefined && (await this.#isCommitted(marker, askUntil))
        if (isStored && done) {
          this.#answers()
          return done.result
        }
        // Work whose answer was lost with its commit finds out itself what it had written, once that is decided: for that it
        // is never too late, or a success would be told as lost.
        if (isOver && !isStored) throw this.#toOurError(error, 'cannot write to the ledger')
      }
    }
  }

  /** One transaction on one connection. Notes in `written` how far it got. */
  async #writeOn<T>(
    client: PoolClient,
    discard: (why: Error) => void,
    beginning: string,
    work: (sql: Sql) => Promise<T>,
    written: Written<T>,
  ): Promise<void> {
    // Before the schema exists there is no marker; a migration that is repeated finds itself done.
    const marker = this.#lockClass === 0 ? undefined : this.#markers.next(client)
    let begun: Promise<void> | undefined
    const begin = () => {
      begun = this.#begin(sqlOn(client), beginning, marker)
      begun.catch(() => {})
    }
    let committed: Promise<{ command: string }> | undefined
    const commit = () => {
      written.marker = marker
      committed ??= ofDriver(client.query({ text: 'COMMIT' }))
      committed.catch(() => {})
      return committed
    }
    const sql = sqlOn(client, { opening: begin, closing: commit })
    try {
      const result = await work(sql)
      await begun
      written.done = { result }
      // Without a statement there is nothing to commit.
      if (!begun) return
      const ended = commit()
      // If one of these failed, the server rolled back instead.
      await sql.sent()
      if ((await ended).command !== 'COMMIT')
        throw new LedgerError(
          'io',
          `nothing of a write to ${this.place.label} was stored: one of its statements failed, and its work continued`,
        )
    } catch (error) {
      if (!begun) throw error
      // If BEGIN failed, its error says more than later ones.
      const first = await begun.then(
        () => firstError(sql, error),
        (cause: unknown) => cause,
      )
      // If this fails, nobody may go on in the transaction that is still open; the first error is the cause.
      if (!isLost(first)) await sql.exec('ROLLBACK').catch(discard)
      throw first
    }
  }

  /** Begins a transaction, writes its marker, and locks the number after which its events may appear. */
  async #begin(sql: Sql, beginning: string, marker: CommitMarker | undefined): Promise<void> {
    const begun = sql.exec(beginning)
    if (!marker) return void (await begun)
    begun.catch(() => {})
    const marked = sql.run(MARK, [marker.writer, marker.number, this.#lockClass])
    marked.catch(() => {})
    await begun
    await marked
  }

  /** Whether a transaction whose commit was not answered is committed. */
  async #isCommitted(marker: CommitMarker, end: number): Promise<boolean> {
    const unsure = (why: string, cause?: unknown) =>
      new UnsureCommit(`unknown whether a write to ${this.place.label} was stored: ${why}`, { cause })
    for (;;)
      try {
        const committed = await this.#connections.on(client =>
          between(sqlOn(client), BEGIN, sql => isCommitted(sql, marker)),
        )
        if (committed !== undefined) return committed
        // The server has not noticed the lost connection yet; it ends idle transactions automatically.
        if (performance.now() > end + IDLE_IN_TRANSACTION_MS)
          throw unsure('the server is still working on it')
        await wait(RECONNECT_MS)
      } catch (error) {
        if (!isLost(error)) throw error
        if (performance.now() > end) throw unsure('the server has been unreachable since', error)
        await wait(RECONNECT_MS)
      }
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

  /** Turns errors of the server into ours; errors of the work stay unchanged. */
  #toOurError(error: unknown, what: string): unknown {
    if (isLost(error)) this.#isAway(error)
    return isStorageError(error) ? toLedgerError(error, `${what} (${this.place.label})`) : error
  }

  #isAway(error: unknown): void {
    if (this.#away) return
    this.#away = true
    const { message, code } = error as { message?: string; code?: string }
    this.tell({ state: 'away', reason: message || code || 'no answer' })
  }

  #answers(): void {
    if (!this.#away) return
    this.#away = false
    this.tell({ state: 'back' })
  }

  /** Calls the listeners of trouble. */
  tell(trouble: DatabaseTrouble): void {
    for (const listener of [...this.#listeners])
      try {
        listener(trouble)
      } catch (error) {
        // A listener's error must not make a stored write look failed.
        process.emitWarning(`a listener of the ledger threw: ${error}`, { code: 'MULLIGAN_LEDGER' })
      }
  }
}
