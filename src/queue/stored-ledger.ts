import { EmbeddedEngine } from '../engine/embedded/embedded-engine.ts'
import type { Engine } from '../engine/engine.ts'
import { LedgerError } from '../ledger/error.ts'
import type { PostgresLedger } from '../ledger/postgres/postgres-ledger.ts'
import { SqliteLedger } from '../ledger/sqlite/sqlite-ledger.ts'
import { MARK, MOVED } from './migrate/table.ts'

/** A ledger in a local file, or on a server that many hosts share. */
export type StoredLedger = SqliteLedger | PostgresLedger

/**
 * The engine for a ledger. Loads the engine for a server only if needed. Closes and refuses a ledger that was moved only in
 * part, because what is written to it would collide with the rest.
 */
export async function engineOn(ledger: StoredLedger): Promise<Engine> {
  const from = await ledger.setting(MARK)
  if (from !== undefined) {
    await ledger.close()
    throw new LedgerError(
      'in_use',
      `${placeInWords(ledger)} is not complete: "mulligan ledger migrate" from ${from} has not ended; run it again to finish it`,
    )
  }
  const to = await ledger.setting(MOVED)
  if (to !== undefined) {
    await ledger.close()
    throw new LedgerError(
      'in_use',
      `${placeInWords(ledger)} was moved to ${to} by "mulligan ledger migrate": use that one. To use this one all the same, with what it had then, delete the row "${MOVED}" of its table settings`,
    )
  }
  if (ledger instanceof SqliteLedger) return new EmbeddedEngine({ ledger })
  const { PostgresEngine } = await import('../engine/postgres/postgres-engine.ts')
  return new PostgresEngine({ ledger })
}

/** Where a ledger is, for people; without a password. */
export function placeInWords(ledger: StoredLedger): string {
  return ledger instanceof SqliteLedger ? ledger.file : ledger.place.label
}

/** Where a ledger is, for a program that opens it too: its file, or its address without a password. */
export function addressOf(ledger: StoredLedger): string {
  return ledger instanceof SqliteLedger ? ledger.file : ledger.place.address
}
