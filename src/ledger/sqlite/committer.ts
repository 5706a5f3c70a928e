import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Time } from '../../time/time.ts'
import { LedgerError } from '../error.ts'
import type { ChangeNotice } from './change-notice.ts'
import type { FileGuard } from './file-guard.ts'
import { rollBack } from './snapshot.ts'
import { isBusy, isStorageError, toLedgerError } from './sqlite-error.ts'
import type { SqliteTransaction } from './sqlite-transaction.ts'

interface Write {
  work: () => unknown
  resolve: (value: unknown) => void
  reject: (reason: unknown) => void
}

/** The result of a transaction. */
type Outcome = { committed: true; values: readonly unknown[] } | { committed: false; error: unknown }

/** Maximum number of writes in one transaction, so that it stays short. */
const MOST_PER_COMMIT = 256
/** Microtask rounds that a commit waits, so that writes begun together are committed together. */
const GATHERING_ROUNDS = 4
/** Commits in a row before timers, sockets and other threads get their turn: promises alone would starve them. */
const COMMITS_PER_TURN = 32
/** Waits between two attempts at a lock that another process holds. */
const FIRST_WAIT_MS = 2
const LONGEST_WAIT_MS = 32
/** After waiting this long, it asks as often as it can: the lock has no queue, so the most frequent asker gets it first. */
const PATIENCE_MS = 200

/** The connection, and what takes part in its transactions. */
export interface CommitterOptions {
  db: DatabaseSync
  file: string
  time: Time
  /** Longest wait for a lock that another process holds, in milliseconds. */
  lockWaitMs: number
  /** Hears when a transaction has begun, and that nothing of it has happened after a rollback. */
  writes: Pick<SqliteTransaction, 'begin' | 'rolledBack'>
  /** Throws if a commit would not be reliable because the file is gone. The transaction is then rolled back. */
  fileGuard: Pick<FileGuard, 'verify'> | undefined
  /** Told of each commit. */
  notice: Pick<ChangeNotice, 'own'>
}

/**
 * Turns writes into short transactions. Writes requested at the same time share one, and each resolves only when it is
 * committed. Waits for a lock of another process without blocking the thread.
 */
export class Committer {
  readonly #options: CommitterOptions
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  #queue: Write[] = []
  #flushing: Promise<void> | undefined
  #commits = 0

  constructor(options: CommitterOptions) {
    this.#options = options
    this.#begin = options.db.prepare('BEGIN IMMEDIATE')
    this.#commit = options.db.prepare('COMMIT')
  }

  /** Runs `work`, which must be synchronous, in a transaction. It may run again if a commit fails. */
  write<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, resolve: resolve as (value: unknown) => void, reject })
      this.#flushing ??= this.#flush()
    })
  }

  /** Resolves when all writes requested so far are settled. */
  async drained(): Promise<void> {
    while (this.#flushing) await this.#flushing
  }

  async #flush(): Promise<void> {
    try {
      for (let round = 0; round < GATHERING_ROUNDS; round++) await undefined
      while (this.#queue.length > 0) {
        const written = this.#write(this.#take())
        // Usually there is nothing to wait for, and an await would cost each commit a promise.
        if (written) await written
        // Let the event loop turn now and then, no matter how fast writes follow each other.
        if (++this.#commits >= COMMITS_PER_TURN) await this.#turn()
      }
    } finally {
      this.#flushing = undefined
      if (this.#queue.length > 0) this.#flushing = this.#flush()
    }
  }

  #take(): readonly Write[] {
    if (this.#queue.length > MOST_PER_COMMIT) return this.#queue.splice(0, MOST_PER_COMMIT)
    const all = this.#queue
    this.#queue = []
    return all
  }

  async #turn(): Promise<void> {
    this.#commits = 0
    await new Promise<void>(resolve => void setImmediate(resolve))
  }
  /** Writes all of them in one transaction, and settles each. Returns a promise if another process has the lock. */
  #write(batch: readonly Write[]): Promise<void> | undefined {
    try {
      if (!this.#locked(0)) return this.#writeLater(batch)
    } catch (error) {
      return rejectAll(batch, error)
    }
    return this.#writeLocked(batch)
  }

  async #writeLater(batch: readonly Write[]): Promise<void> {
    const { time } = this.#options
    const start = time.monotonic()
    try {
      let [wait, waited] = [FIRST_WAIT_MS, 0]
      do {
        await new Promise<void>(resolve => void time.after(wait, resolve))
        waited = time.monotonic() - start
        wait = nextWait(wait, waited)
      } while (!this.#locked(waited))
    } catch (error) {
      // All of them have waited the maximum time: do not wait again for each.
      return rejectAll(batch, error)
    }
    await this.#writeLocked(batch)
  }

  /** If one of several fails, each is written in its own transaction, so that only that one fails. */
  #writeLocked(batch: readonly Write[]): Promise<void> | undefined {
    const outcome = this.#transaction(batch)
    if (outcome.committed)
      batch.forEach(({ resolve }, index) => {
        resolve(outcome.values[index])
      })
    else if (batch.length === 1) rejectAll(batch, outcome.error)
    else return this.#writeEach(batch)
  }

  async #writeEach(batch: readonly Write[]): Promise<void> {
    for (const write of batch) await this.#write([write])
  }

  /** Call it with the lock held. It awaits nothing, because no other connection may see it half done. */
  #transaction(batch: readonly Write[]): Outcome {
    const { db, file, writes, fileGuard, notice } = this.#options
    try {
      writes.begin()
      const values = batch.map(run)
      fileGuard?.verify()
      this.#commit.run()
      notice.own()
      return { committed: true, values }
    } catch (error) {
      rollBack(db)
      writes.rolledBack()
      const told = isStorageError(error) ? toLedgerError(error, `cannot write to the ledger ${file}`) : error
      return { committed: false, error: told }
    }
  }

  /** Begins a transaction; false while another process has the lock. */
  #locked(waitedMs: number): boolean {
    const { db, file, lockWaitMs } = this.#options
    if (!db.isOpen) throw new LedgerError('closed', `the ledger ${file} is closed`)
    try {
      this.#begin.run()
      return true
    } catch (error) {
      if (isBusy(error) && waitedMs < lockWaitMs) return false
      const waited = isBusy(error) ? ` after waiting ${Math.round(waitedMs)} ms` : ''
      throw toLedgerError(error, `cannot write to the ledger ${file}${waited}`)
    }
  }
}

function nextWait(wait: number, waitedMs: number): number {
  return waitedMs > PATIENCE_MS ? 1 : Math.min(wait * 2, LONGEST_WAIT_MS)
}

function rejectAll(batch: readonly Write[], error: unknown): undefined {
  for (const { reject } of batch) reject(error)
}

const WAITS =
  'the work of a transaction on SQLite must be synchronous: pass a function that is not async and returns no promise'

/** An asynchronous function would leave the transaction open for others to write into. */
function run({ work }: Write): unknown {
  const value = work()
  if (!(value instanceof Promise)) return value
  // It continues anyway; its failure has been reported here.
  value.catch(() => {})
  throw new TypeError(WAITS)
}
