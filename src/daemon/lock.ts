import { closeSync, openSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { makeFolder } from '../config/make-folder.ts'
import { checkPrivateFolder, isThere } from '../config/private-folder.ts'
import { DatabaseSync } from '../ledger/sqlite/node-sqlite.ts'
import { cleaningUp, quietly } from '../time/clean-up.ts'

/** The process that holds a data folder. */
export interface Holder {
  pid: number
  host: string
  /** Epoch milliseconds. */
  since: number
}

/** Reserves a data folder for one daemon while it lives. */
export type DaemonLock = { held: true; release(): void } | { held: false; by: Holder | undefined }

const FILE = 'daemon.lock'

/**
 * Takes the lock of a data folder. It is an operating-system lock on a small database. It ends with the process in any
 * case, so a stale lock cannot keep a daemon from starting, and the database names the holder.
 */
export function lockFolder(folder: string, now: number): DaemonLock {
  checkPrivateFolder(folder, [FILE])
  makeFolder(folder)
  const file = join(folder, FILE)
  // Created before SQLite creates it, so that no other user can read it.
  closeSync(openSync(file, 'a', 0o600))
  const db = new DatabaseSync(file, { timeout: 500 })
  try {
    db.exec('BEGIN IMMEDIATE')
    db.exec(
      'CREATE TABLE IF NOT EXISTS holder (id INTEGER PRIMARY KEY, pid INTEGER, host TEXT, since INTEGER)',
    )
    db.prepare('INSERT OR REPLACE INTO holder VALUES (1, ?, ?, ?)').run(process.pid, hostname(), now)
    db.exec('COMMIT')
    // A transaction that never writes: it only keeps others from starting one.
    db.exec('BEGIN IMMEDIATE')
  } catch (error) {
    if (!isBusy(error)) {
      void quietly(() => db.close())
      throw error
    }
    const by = holderIn(db)
    db.close()
    return { held: false, by }
  }
  return { held: true, release: () => release(db) }
}

/** Ends the lock, and says that its holder stopped: a name that stays is that of a daemon that was killed. */
function release(db: DatabaseSync): void {
  cleaningUp(
    () => {
      db.exec('DELETE FROM holder')
      db.exec('COMMIT')
    },
    () => db.close(),
  )
}

/** The lock of a data folder, as someone else sees it. */
export type SeenLock =
  | { state: 'none' }
  | { state: 'free' /** A daemon that did not stop by itself. */; left?: Holder }
  | { state: 'held'; by: Holder | undefined }

/** Looks at the lock of a data folder, and leaves it as it is. */
export function lookAtLock(folder: string): SeenLock {
  const file = join(folder, FILE)
  if (!isThere(file)) return { state: 'none' }
  checkPrivateFolder(folder, [FILE])
  const db = new DatabaseSync(file, { timeout: 0 })
  return cleaningUp(
    () => {
      const isFree = isWritable(db)
      const holder = holderIn(db)
      if (!isFree) return { state: 'held', by: holder }
      return { state: 'free', ...(holder ? { left: holder } : {}) }
    },
    () => db.close(),
  )
}

/** Whether nobody else is about to write to a database, after waiting for its `timeout`. Writes nothing. */
export function isWritable(db: DatabaseSync): boolean {
  try {
    db.exec('BEGIN IMMEDIATE')
    db.exec('ROLLBACK')
    return true
  } catch (error) {
    if (!isBusy(error)) throw error
    return false
  }
}

function holderIn(db: DatabaseSync): Holder | undefined {
  try {
    const row = db.prepare('SELECT pid, host, since FROM holder').get()
    return row ? (row as unknown as Holder) : undefined
  } catch {
    // The holder is writing it right now.
    return undefined
  }
}

/** SQLITE_BUSY, with its extended codes. */
function isBusy(error: unknown): boolean {
  return (((error as { errcode?: number }).errcode ?? 0) & 0xff) === 5
}
