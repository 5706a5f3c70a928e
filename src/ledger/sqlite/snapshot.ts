import type { DatabaseSync } from 'node:sqlite'
import { rollBack } from './roll-back.ts'

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
