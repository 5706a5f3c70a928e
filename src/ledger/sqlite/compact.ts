import { realpathSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { LedgerError } from '../error.ts'
import type { Compacted } from '../upkeep.ts'
import { IN_MEMORY, openForRewriting } from './connection.ts'
import { toLedgerError } from './sqlite-error.ts'

/** Bytes that must be free beyond what the rewrite takes: others write to the disk meanwhile. */
const SPARE_BYTES = 1_048_576

/**
 * Rewrites the file without the room that nothing is in, and so that later room can be given back in small steps. It is
 * one transaction of SQLite: whatever ends it, a full disk or the end of the process, leaves the file as it was.
 * @param db used where the ledger is in its memory alone
 * @param freeBytes how much room the disk of a folder has. Default what the system says.
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
      own.close()
    }
  } catch (error) {
    throw toLedgerError(error, `cannot compact the ledger ${file}`)
  }
}

/** Bytes of the pages that hold something. */
export function liveBytesOf(db: DatabaseSync): number {
  return (pragma(db, 'page_count') - pragma(db, 'freelist_count')) * pragma(db, 'page_size')
}

function rewrite(db: DatabaseSync, file: string): void {
  const folder = dirname(realpathSync(file)).replaceAll("'", "''")
  // The copy goes beside the file, where the free space was checked and no other user may read; it has no name there.
  db.exec(`PRAGMA auto_vacuum = INCREMENTAL; PRAGMA temp_store_directory = '${folder}'`)
  try {
    db.exec('VACUUM')
  } catch (error) {
    // What was written to the log until then takes room, and others miss it.
    emptyLogIfPossible(db)
    throw error
  } finally {
    db.exec("PRAGMA temp_store_directory = ''")
  }
  moveLog(db)
}

/** Once as a copy, once in the log; what the file itself has too much is free only afterwards. */
function ensureRoom(file: string, liveBytes: number, free: number): void {
  const needed = Math.ceil(liveBytes * 2.1) + SPARE_BYTES
  if (free < needed)
    throw new LedgerError(
      'full',
      `compacting ${file} needs ${needed} bytes of free space for a while, and ${free} are free: nothing was changed`,
    )
}

function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** Moves the log into the file and empties it. Readers that last too long are left to the next who does. */
function moveLog(db: DatabaseSync): void {
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
}

function emptyLogIfPossible(db: DatabaseSync): void {
  try {
    moveLog(db)
  } catch {
    // What went wrong before is what is told.
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
