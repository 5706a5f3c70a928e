import { dirname } from 'node:path'
import { WrongArgument } from '../../failure/own-error.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { isPostgresUrl } from '../../ledger/postgres/address.ts'
import type { PostgresLedger } from '../../ledger/postgres/postgres-ledger.ts'
import { openLedger, SqliteLedger } from '../../ledger/sqlite/sqlite-ledger.ts'
import type { StoredLedger } from '../../queue/stored-ledger.ts'
import { ledgerOfDaemon } from './ledger-of-daemon.ts'

/** Where a ledger is, or one that is open already. */
export type LedgerPlace = string | Ledger

/** An opened ledger. */
export interface OpenedLedger {
  ledger: StoredLedger
  /** Folder of its key, for sealed parameters. */
  folder: string
  /** Closes it, unless the caller opened it. */
  close(): Promise<void>
}

/**
 * How long a write is tried again while the server is away, in milliseconds: no job waits longer for it, and a worker that
 * stops must not be kept alive by it.
 */
const WRITE_FOR_MS = 5_000

/** Throws a {@link WrongArgument} if this can be no ledger. */
export function checkPlace(place: unknown): asserts place is LedgerPlace {
  const isOpen = typeof (place as Ledger | undefined)?.transaction === 'function'
  if (isOpen || (typeof place === 'string' && place !== '')) return
  throw new WrongArgument(
    'connect: ledger must be the file of a ledger, a postgres:// address, the URL of a daemon, or an open ledger',
  )
}

/** Opens a ledger. Rejects if it cannot be reached. */
export async function openPlace(place: LedgerPlace): Promise<OpenedLedger> {
  if (typeof place !== 'string')
    return { ledger: place as StoredLedger, folder: folderOf(place as StoredLedger), close: async () => {} }
  const at = /^https?:/.test(place) ? await ledgerOfDaemon(place) : place
  const ledger = isPostgresUrl(at) ? await openOnServer(at) : await openLedger({ file: at })
  return { ledger, folder: folderOf(ledger), close: () => ledger.close() }
}

async function openOnServer(database: string): Promise<PostgresLedger> {
  const { openPostgresLedger } = await import('../../ledger/postgres/postgres-ledger.ts')
  return openPostgresLedger({ database, waitMs: WRITE_FOR_MS })
}

function folderOf(ledger: StoredLedger): string {
  return ledger instanceof SqliteLedger && ledger.file !== ':memory:' ? dirname(ledger.file) : '.'
}
