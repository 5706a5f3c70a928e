import { realpathSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { quietly } from '../../time/clean-up.ts'
import { LedgerError } from '../error.ts'
import type { Compacted } from '../upkeep.ts'
import { IN_MEMORY, openForRewriting } from './connection.ts'
import { toLedgerError } from './sqlite-error.ts'

/** Bytes that must be free beyond what the rewrite needs, because others write to the disk meanwhile. */
const SPARE_BYTES = 1_048_576

/**
 * Rewrites the file without free pages, and so that it can give space back in small steps later. It is one SQLite
 * transaction: an interruption, such as a full disk or the end of the process, leaves the file unchanged.
 * @param db used if the ledger is only in memory
 * @param freeBytes how much space the disk of a folder has. Default: ask the system.
 */
export function compactFile(file: string, db: DatabaseSync, freeBytes = freeBytesOf): Compacted {
  if (file === IN_MEMORY) return inMemory(db)
  try {
    const own = openForRewriting(file)
    try {
      moveLog(own)
      const beforeBytes = bytesOf(file)
      ensureRoom(file, liveBytesOf(own), freeBytes(dirname(file)))
      rewrite(own, file)
      return { beforeBytes, afterBytes: bytesOf(file) }
    } finally {
      void quietly(() => own.close())
    }
  } catch (error) {
    throw toLedgerError(error, `cannot compact the ledger ${file}`)
  }
}

/** Bytes of the pages in use. */
export function liveBytesOf(db: DatabaseSync): number {
  return (pragma(db, 'page_count') - pragma(db, 'freelist_count')) * pragma(db, 'page_size')
}

function rewrite(db: DatabaseSync, file: string): void {
  const folder = dirname(realpathSync(file)).replaceAll("'", "''")
  // The copy goes next to the file, where the free space was checked and no other user may read; it has no name there.
  db.exec(`PRAGMA auto_vacuum = INCREMENTAL; PRAGMA temp_store_directory = '${folder}'`)
  try {
    db.exec('VACUUM')
  } catch (error) {
    // What was written to the log so far takes space that others need.
    emptyLogIfPossible(db)
    throw error
  } finally {
    void quietly(() => db.exec("PRAGMA temp_store_directory = ''"))
  }
  moveLog(db)
}

/** The data is written twice, as a copy and to the log; the old space of the file becomes free only afterwards. */
function ensureRoom(file: string, liveBytes: number, free: number): void {
  const needed = Math.ceil(liveBytes * 2.1) + SPARE_BYTES
  if (free < needed)
    throw new LedgerError(
      'full',
      `compacting ${file} temporarily needs ${needed} bytes of free space, but only ${free} are free: nothing was changed`,
    )
}

function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** Moves the log into the file and empties it. If readers take too long, the next checkpoint does it. */
function moveLog(db: DatabaseSync): void {
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
}

function emptyLogIfPossible(db: DatabaseSync): void {
  try {
    moveLog(db)
  } catch {
    // The first error is the one reported.
  }
}

function bytesOf(file: string): number {
  const log = statSync(`${realpathSync(file)}-wal`, { throwIfNoEntry: false })
  return statSync(file).size + (log?.size ?? 0)
}

function inMemory(db: DatabaseSync): Compacted {
  const bytes = () => pragma(db, 'page_count') * pragma(db, 'page_size')
  const beforeBytes = bytes()
  db.exec('VACUUM')
  return { beforeBytes, afterBytes: bytes() }
}

function pragma(db: DatabaseSync, name: string): number {
  return Object.values(db.prepare(`PRAGMA ${name}`).get() as Record<string, number>)[0] as number
}
