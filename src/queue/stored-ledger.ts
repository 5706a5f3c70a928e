import { EmbeddedEngine } from '../engine/embedded/embedded-engine.ts'
import type { Engine } from '../engine/engine.ts'
import type { PostgresLedger } from '../ledger/postgres/postgres-ledger.ts'
import { SqliteLedger } from '../ledger/sqlite/sqlite-ledger.ts'

/** A ledger in a file of this machine, or on a server that many hosts share. */
export type StoredLedger = SqliteLedger | PostgresLedger

/** The engine that belongs to a ledger. The one of a server is loaded only where there is one. */
export async function engineOn(ledger: StoredLedger): Promise<Engine> {
  if (ledger instanceof SqliteLedger) return new EmbeddedEngine({ ledger })
  const { PgBossEngine } = await import('../engine/pg-boss/pg-boss-engine.ts')
  const engine = new PgBossEngine({ ledger })
  await engine.open()
  return engine
}

/** Where a ledger is, for people; without a password. */
export function placeInWords(ledger: StoredLedger): string {
  return ledger instanceof SqliteLedger ? ledger.file : ledger.place.label
}
