import { quietly } from '../../time/clean-up.ts'
import { DatabaseSync } from './node-sqlite.ts'

/**
 * Moves the write-ahead log into the file, as far as no reader needs it, so that the file ends where it should. No
 * writer waits for it.
 */
export function checkpoint(file: string): void {
  const db = new DatabaseSync(file)
  try {
    db.exec('PRAGMA wal_checkpoint(PASSIVE)')
  } finally {
    void quietly(() => db.close())
  }
}
