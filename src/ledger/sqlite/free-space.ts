import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { sleep, type Time } from '../../time/time.ts'
import { LedgerError } from '../error.ts'
import type { GiveBackOptions, LedgerSize } from '../upkeep.ts'

/** Pages given back in one transaction: 128 KB. It holds the lock for a fraction of a millisecond. */
const PAGES_PER_STEP = 64
/** Pause between two steps, in milliseconds: the lock has no queue, so others need time to find it free. */
const PAUSE_MS = 10
/** Free pages to keep: 1 MB, or an eighth of the file. New writes reuse them without asking the disk. */
const KEPT_PAGES = 512
const KEPT_SHARE = 8
/** `PRAGMA auto_vacuum` of a file that can give space back without a rewrite. */
const INCREMENTAL = 2

/** Returns free pages to the disk: moves the last used pages to the front, then cuts the end. */
export class FreeSpace {
  readonly #db: DatabaseSync
  readonly #time: Time
  readonly #free: StatementSync
  readonly #all: StatementSync

  constructor(db: DatabaseSync, time: Time) {
    this.#db = db
    this.#time = time
    this.#free = db.prepare('PRAGMA freelist_count')
    this.#all = db.prepare('PRAGMA page_count')
  }

  /**
   * Returns the number of bytes given back.
   * @param write runs the work in one transaction
   */
  async giveBack(
    { mostBytes = Infinity }: GiveBackOptions,
    write: (work: () => number) => Promise<number>,
    signal?: AbortSignal,
  ): Promise<number> {
    if (Number.isNaN(mostBytes) || mostBytes < 0)
      throw new LedgerError('invalid', `mostBytes must be a number of at least 0, not ${mostBytes}`)
    if (this.#surplus() <= 0 || !this.#canGive()) return 0
    const pageBytes = this.#pageBytes()
    const most = Math.floor(mostBytes / pageBytes)
    let given = 0
    for (; given < most && this.#surplus() > 0; await sleep(this.#time, PAUSE_MS, signal)) {
      signal?.throwIfAborted()
      const step = await write(() => this.#step(Math.min(PAGES_PER_STEP, most - given)))
      if (step === 0) break
      given += step
    }
    return given * pageBytes
  }

  /** The size of the file once the log is in it. */
  size(): LedgerSize {
    const pageBytes = this.#pageBytes()
    return { bytes: number(this.#all) * pageBytes, freeBytes: number(this.#free) * pageBytes }
  }

  /** Bytes that the file would give back if it could: files from older versions cannot. */
  stuckBytes(): number {
    const surplus = this.#surplus()
    return surplus <= 0 || this.#canGive() ? 0 : surplus * this.#pageBytes()
  }

  /** Asked each time, after a read: only then SQLite notices that another process has rewritten the file. */
  #canGive(): boolean {
    return number(this.#db.prepare('PRAGMA auto_vacuum')) === INCREMENTAL
  }

  #pageBytes(): number {
    return number(this.#db.prepare('PRAGMA page_size'))
  }

  #surplus(): number {
    return number(this.#free) - Math.max(KEPT_PAGES, Math.floor(number(this.#all) / KEPT_SHARE))
  }

  #step(most: number): number {
    const before = number(this.#all)
    const pages = Math.min(most, this.#surplus())
    // Not prepared: each step of a prepared statement would move only one page.
    if (pages > 0) this.#db.exec(`PRAGMA incremental_vacuum(${pages})`)
    return before - number(this.#all)
  }
}

function number(statement: StatementSync): number {
  return Object.values(statement.get() as Record<string, number>)[0] as number
}
