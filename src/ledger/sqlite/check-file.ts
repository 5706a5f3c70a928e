import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { isThere } from '../../config/private-folder.ts'
import { quietly } from '../../time/clean-up.ts'
import { LedgerError } from '../error.ts'
import type { Finding } from '../upkeep.ts'
import { checkLedger } from './check.ts'
import { openForReading } from './connection.ts'
import { versionOf } from './migrations.ts'
import { toLedgerError } from './sqlite-error.ts'

/** The result of checking a file, and how much was checked. */
export interface FileCheck {
  /** Operations in the file. */
  operations: number
  /** Events in the file, including submissions. */
  events: number
  /** Broken promises; empty if there are none. */
  findings: readonly Finding[]
}

/**
 * Refuses triggers and views, of which a ledger has none: whoever made them decides what our statements do. Ours are tables and
 * indexes only.
 */
function refuseForeign(db: DatabaseSync, file: string): void {
  const found = db
    .prepare("SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'view') LIMIT 1")
    .get() as { type: string; name: string } | undefined
  if (found)
    throw new LedgerError(
      'corrupt',
      `${file} has a ${found.type} named ${JSON.stringify(found.name)}, which no ledger has: somebody else made it`,
    )
}

/** Verifies a ledger's file, or any copy of one, without writing to it. */
export function checkFile(file: string): FileCheck {
  if (!isThere(file)) throw new LedgerError('io', `there is no ledger at ${file}`)
  // SQLite would wait for a pipe for ever.
  if (!statSync(file).isFile()) throw new LedgerError('io', `${file} is no file`)
  const db = openForReading(file)
  try {
    versionOf(db, file)
    refuseForeign(db, file)
    const findings = checkLedger(db)
    const { operations, events } = db
      // Each operation is also the event of its submission.
      .prepare(
        `SELECT count(*) AS operations, count(*) + (SELECT count(*) FROM events) AS events FROM operations`,
      )
      .get() as { operations: number; events: number }
    return { operations, events, findings }
  } catch (error) {
    throw toLedgerError(error, `cannot check ${file}`)
  } finally {
    void quietly(() => db.close())
  }
}
