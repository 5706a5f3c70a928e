import type { DatabaseSync } from 'node:sqlite'

/** Runs reads that belong together on one state of the file, whatever other connections write meanwhile. */
export function readSnapshot<T>(db: DatabaseSync, read: () => T): T {
  if (db.isTransaction) return read()
  db.exec('BEGIN')
  try {
    return read()
  } finally {
    // Some errors of the disk end it by themselves.
    if (db.isTransaction) db.exec('COMMIT')
  }
}
