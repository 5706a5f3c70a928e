import type { DatabaseSync } from 'node:sqlite'

/** Runs related reads on one state of the file, whatever other connections write meanwhile. */
export function readSnapshot<T>(db: DatabaseSync, read: () => T): T {
  if (db.isTransaction) return read()
  db.exec('BEGIN')
  try {
    return read()
  } finally {
    // Some disk errors end the transaction automatically.
    if (db.isTransaction) db.exec('COMMIT')
  }
}
