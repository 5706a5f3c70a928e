import { isThere } from '../../config/private-folder.ts'
import { LedgerError } from '../error.ts'
import type { Finding } from '../upkeep.ts'
import { checkLedger } from './check.ts'
import { openForReading } from './connection.ts'
import { versionOf } from './migrations.ts'
import { toLedgerError } from './sqlite-error.ts'

/** What a check of a file found, and how much it looked at. */
export interface FileCheck {
  /** Operations in the file. */
  operations: number
  /** Events in the file, submissions included. */
  events: number
  /** Promises that do not hold; none if all is well. */
  findings: readonly Finding[]
}

/** Verifies a ledger's file, or any copy of one, without writing to it. */
export function checkFile(file: string): FileCheck {
  if (!isThere(file)) throw new LedgerError('io', `there is no ledger at ${file}`)
  const db = openForReading(file)
  try {
    versionOf(db, file)
    const findings = checkLedger(db)
    const { operations, events } = db
      // An operation is the event of its submission.
      .prepare(
        `SELECT count(*) AS operations, count(*) + (SELECT count(*) FROM events) AS events FROM operations`,
      )
      .get() as { operations: number; events: number }
    return { operations, events, findings }
  } catch (error) {
    throw toLedgerError(error, `cannot check ${file}`)
  } finally {
    db.close()
  }
}
