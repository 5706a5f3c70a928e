import { writeResultFile } from '../../capability/result.ts'
import type { PostgresLedger } from '../../ledger/postgres/postgres-ledger.ts'
import type { ResultStore } from '../../ledger/result-store.ts'

/** Moves large results that a database keeps: into another one, or into files. May be repeated. */
export async function moveResults(
  from: PostgresLedger,
  to: { store: ResultStore } | { folder: string },
  signal: AbortSignal,
): Promise<void> {
  for await (const { operation, run, json } of from.results.all()) {
    signal.throwIfAborted()
    if ('store' in to) await to.store.keep(operation, run, json)
    else await writeResultFile(to.folder, { operation, run }, json)
  }
}
