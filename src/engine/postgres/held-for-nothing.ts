import { HELD_FOR_NOTHING, type HeldForNothing } from '../../ledger/postgres/holds.ts'
import type { PostgresLedger } from '../../ledger/postgres/postgres-ledger.ts'
import { toId } from '../../ledger/row/rows.ts'

/** Most operations moved in one transaction. */
const STEP = 200

/** Frees operations that are held although they could run, for example after a restored backup. */
export async function freeHeldForNothing(ledger: PostgresLedger, signal?: AbortSignal): Promise<void> {
  for (let moved = STEP; moved === STEP && !signal?.aborted; ) {
    const rows = await ledger.read(sql => sql.rows<HeldForNothing>(`${HELD_FOR_NOTHING} LIMIT ${STEP}`))
    if (rows.length === 0) return
    moved = await ledger.transaction(writes => writes.free(rows.map(({ id }) => toId(id))))
  }
}
