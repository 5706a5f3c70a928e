import { accessSync, chmodSync, closeSync, constants, existsSync, openSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { makeFolder } from '../../config/make-folder.ts'
import { checkPrivateFolder } from '../../config/private-folder.ts'
import { quietly } from '../../time/clean-up.ts'
import type { LedgerError } from '../error.ts'
import { versionOf } from './migrations.ts'
import { DatabaseSync } from './node-sqlite.ts'
import { toLedgerError } from './sqlite-error.ts'

/**
 * What a resolved write survives. `normal`: the death of this and any other process. `full`: also a power cut, because
 * every commit waits for the disk.
 */
export type Durability = 'normal' | 'full'

export const DURABILITIES: readonly Durability[] = ['normal', 'full']

/** A ledger with this name is not stored and not shared. */
export const IN_MEMORY = ':memory:'

/** Half the usual page size: a small commit writes four or five pages, and they are its main cost. */
const PAGE_BYTES = 2_048
/** Pages in the write-ahead log before they are moved into the file: 16 MB. */
const CHECKPOINT_PAGES = 8_192
/** Kibibytes of pages that a connection caches in memory. */
const CACHE_KIB = 8_192
/** How long SQLite itself waits for a lock, in milliseconds, which blocks this thread. We do the longer waits. */
const SHORT_BUSY_MS = 5
/** Opening happens once, and several processes may do it at the same time. */
const OPEN_BUSY_MS = 10_000

/** Opens the file, creating it if needed, readable only by its owner. Does not change files that are not ledgers. */
export function openForWriting(file: string, durability: Durability): DatabaseSync {
  let db: DatabaseSync | undefined
  try {
    makeFile(file)
    db = new DatabaseSync(file, { timeout: OPEN_BUSY_MS, enableForeignKeyConstraints: false })
    versionOf(db, file)
    closeToOthers(file)
    if (isEmpty(db)) db.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA auto_vacuum = INCREMENTAL`)
    enterWal(db)
    db.exec(`PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'};
      PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
      PRAGMA journal_size_limit = ${4 * CHECKPOINT_PAGES * PAGE_BYTES};
      PRAGMA cache_size = -${CACHE_KIB};
      PRAGMA temp_store = MEMORY;
      PRAGMA recursive_triggers = OFF`)
    return db
  } catch (error) {
    void quietly(() => db?.close())
    throw opening(error, file)
  }
}

/** Opens an existing file, and never writes to it. */
export function openForReading(file: string): DatabaseSync {
  try {
    const db = new DatabaseSync(file, { readOnly: true, timeout: OPEN_BUSY_MS })
    db.exec(`PRAGMA cache_size = -${CACHE_KIB}; PRAGMA temp_store = MEMORY`)
    return db
  } catch (error) {
    throw opening(error, file)
  }
}

/** Opens an existing file for a transaction as large as the file: its pages are not cached in memory. */
export function openForRewriting(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: OPEN_BUSY_MS, enableForeignKeyConstraints: false })
  try {
    versionOf(db, file)
    db.exec(`PRAGMA synchronous = FULL; PRAGMA cache_size = -${CACHE_KIB}; PRAGMA temp_store = FILE`)
    return db
  } catch (error) {
    void quietly(() => db.close())
    throw error
  }
}

/** From now on, locks block this thread only briefly. */
export function waitShortly(db: DatabaseSync): void {
  db.exec(`PRAGMA busy_timeout = ${SHORT_BUSY_MS}`)
}

function makeFile(file: string): void {
  if (file === IN_MEMORY) return
  const name = basename(file)
  checkPrivateFolder(dirname(file), [name, `${name}-wal`, `${name}-shm`])
  makeFolder(dirname(file))
  // Do not open an existing file to look at it: closing it again would drop the locks that other connections of this
  // process hold on it.
  if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK)
  else closeSync(openSync(file, 'a', 0o600))
}

function closeToOthers(file: string): void {
  if (file !== IN_MEMORY && (statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
}

/** An existing file keeps its settings; setting them again would be a write. */
function isEmpty(db: DatabaseSync): boolean {
  return db.prepare('PRAGMA page_count').get()?.page_count === 0
}

/** Two processes that create the file at once may collide here; SQLite does not wait in this case. */
function enterWal(db: DatabaseSync): void {
  for (let tries = 0; ; tries++) {
    try {
      db.exec('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (tries === 200 || toLedgerError(error, '').code !== 'locked') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 25)
    }
  }
}

function opening(error: unknown, file: string): LedgerError {
  return toLedgerError(error, `cannot open the ledger ${file}`)
}
