import { closeSync, fstatSync, openSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { LedgerError } from '../error.ts'

const NO_THROW = { throwIfNoEntry: false } as const

/**
 * Notices that a ledger's file was deleted, replaced or moved, or the write-ahead log beside it deleted: SQLite goes on
 * writing into a file that is lost. Asked within every transaction, before it is committed, so that
 * nothing resolves that began after the file was gone.
 *
 * Files come and go only with a change of their folder, so that while it stands still one look at it is enough. Looking
 * at the log each time costs more than it seems: Linux then has to write its times anew with the next commit.
 */
export class FileGuard {
  readonly #file: string
  readonly #inode: number | undefined
  readonly #log: string
  /** Open, because that is cheaper to ask than a path. Never the file itself: closing that would drop its locks. */
  readonly #descriptor: number
  readonly #folder: string
  /** The folder as it was when both files were there; undefined if a change of it might not have shown. */
  #quiet: { inode: number; changedAt: number } | undefined

  /** @param file of a connection that has read or written already, so that the log is there */
  constructor(file: string) {
    this.#file = file
    this.#inode = inodeOf(file)
    this.#folder = dirname(file)
    // SQLite follows links, and keeps the log beside what they lead to.
    this.#log = `${realpathSync(file)}-wal`
    this.#descriptor = openSync(this.#log, 'r')
  }

  /** Throws if the files are not the ones that were opened. While one is open, its number goes to no other. */
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
        `the write-ahead log ${this.#log} was deleted while the ledger was open: stop everything that uses it, then look at it with \`mulligan ledger check\``,
      )
    // The clock of files goes in ticks. Once the log was written in a later one, no new change of the folder can bear
    // the time of this one.
    if (folder && folder.ctimeMs < log.ctimeMs) this.#quiet = { inode: folder.ino, changedAt: folder.ctimeMs }
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}

function inodeOf(file: string): number | undefined {
  return statSync(file, NO_THROW)?.ino
}
