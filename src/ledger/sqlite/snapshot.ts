import type { DatabaseSync } from 'node:sqlite'

/** Runs related reads on one state of the file, whatever other connections write meanwhile. */
export function readSnapshot<T>(db: DatabaseSync, read: () => T): T {
  if (db.isTransaction) return read()
  db.exec('BEGIN')
  try {
    return read()
  } finally {
    // Nothing was written.
    rollBack(db)
  }
}

/**
 * Ends a transaction without storing it. Never throws: some errors, such as a full disk, make SQLite roll back by itself, and the
 * error that led here is the one that counts. If this fails too, the next BEGIN says so.
 */
export function rollBack(db: DatabaseSync): void {
  try {
    if (db.isOpen && db.isTransaction) db.exec('ROLLBACK')
  } catch {
    // The first error is the one that counts.
  }
}
