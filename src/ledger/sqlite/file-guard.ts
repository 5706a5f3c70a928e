import { closeSync, fstatSync, openSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { LedgerError } from '../error.ts'

const NO_THROW = { throwIfNoEntry: false } as const

/**
 * Notices that a ledger's file was deleted, replaced or moved, or that its write-ahead log was deleted: SQLite would
 * continue to write into a lost file. Called within every transaction, before its commit, so that no write that began
 * after the file was gone resolves.
 *
 * Creating or deleting files changes their folder, so while the folder is unchanged, one look at it is enough. Looking
 * at the log each time costs more than it seems: Linux must then update its timestamps with the next commit.
 */
export class FileGuard {
  readonly #file: string
  readonly #inode: number | undefined
  readonly #log: string
  /**
   * Open, because a descriptor is cheaper to ask than a path. Never of the file itself: closing that would drop its
   * locks.
   */
  readonly #descriptor: number
  readonly #folder: string
  /** The folder when both files were there; undefined if a change to it might not show. */
  #quiet: { inode: number; changedAt: number } | undefined

  /** @param file of a connection that has already read or written, so that the log exists */
  constructor(file: string) {
    this.#file = file
    this.#inode = inodeOf(file)
    this.#folder = dirname(file)
    // SQLite follows links, and keeps the log next to their target.
    this.#log = `${realpathSync(file)}-wal`
    this.#descriptor = openSync(this.#log, 'r')
  }

  /** Throws if the files are not the ones that were opened. While a file is open, no other file gets its inode number. */
  verify(): void {
    if (this.#quiet !== undefined) {
      const folder = statSync(this.#folder, NO_THROW)
      if (folder?.ctimeMs === this.#quiet.changedAt && folder.ino === this.#quiet.inode) return
    }
    this.#look()
  }

  #look(): void {
    this.#quiet = undefined
    const log = fstatSync(this.#descriptor)
    const folder = statSync(this.#folder, NO_THROW)
    if (inodeOf(this.#file) !== this.#inode)
      throw new LedgerError(
        'gone',
        `the ledger ${this.#file} was deleted, replaced or moved while it was open: put it back, or stop everything that uses it and restore a backup`,
      )
    if (log.nlink === 0)
      throw new LedgerError(
        'gone',
        `the write-ahead log ${this.#log} was deleted while the ledger was open: stop everything that uses it, then check it with \`mulligan ledger check\``,
      )
    // File timestamps advance in ticks. Once the log has a later one, no new change to the folder can have the folder's
    // current timestamp.
    if (folder && folder.ctimeMs < log.ctimeMs) this.#quiet = { inode: folder.ino, changedAt: folder.ctimeMs }
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}

function inodeOf(file: string): number | undefined {
  return statSync(file, NO_THROW)?.ino
}
