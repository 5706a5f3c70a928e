import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { sleep, type Time } from '../../time/time.ts'
import { LedgerError } from '../error.ts'
import type { GiveBackOptions } from '../upkeep.ts'

/** Pages given back in one transaction: 128 KB. It holds the lock for a fraction of a millisecond. */
const PAGES_PER_STEP = 64
/** Between two steps, in milliseconds: the lock has no queue, so others need time to find it free. */
const PAUSE_MS = 10
/** Freed pages that stay: 1 MB, or an eighth of the file. What works takes them again, and need not ask the disk. */
const KEPT_PAGES = 512
const KEPT_SHARE = 8
/** `PRAGMA auto_vacuum` of a file that can give back without being rewritten. */
const INCREMENTAL = 2

/** Gives pages that hold nothing any more back to the disk: those at the end, after the last ones moved to the front. */
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
   * Gives the bytes that were given back.
   * @param write runs the work in one transaction
   */
  async giveBack(
    { mostBytes = Infinity }: GiveBackOptions,
    write: (work: () => number) => Promise<number>,
    signal?: AbortSignal,
  ): Promise<number> {
    if (Number.isNaN(mostBytes) || mostBytes < 0)
      throw new LedgerError('invalid', `mostBytes ${mostBytes}: give a number of bytes, 0 or more`)
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

  /** Bytes that would be given back if the file could: one that an older version made cannot. */
  stuckBytes(): number {
    const surplus = this.#surplus()
    return surplus <= 0 || this.#canGive() ? 0 : surplus * this.#pageBytes()
  }

  /** Asked each time, and after a read, which is when SQLite learns that another process has rewritten the file. */
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
    // Not prepared: each step of such a statement would move one page.
    if (pages > 0) this.#db.exec(`PRAGMA incremental_vacuum(${pages})`)
    return before - number(this.#all)
  }
}

function number(statement: StatementSync): number {
  return Object.values(statement.get() as Record<string, number>)[0] as number
}
