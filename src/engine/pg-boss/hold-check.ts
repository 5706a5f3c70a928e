import type { PostgresLedger } from '../../ledger/postgres/postgres-ledger.ts'
import type { Sql } from '../../ledger/postgres/sql.ts'
import { toId } from '../../ledger/row/rows.ts'
import type { Finding } from '../../ledger/upkeep.ts'

/** Most findings reported. */
const TOLD = 20
/** Most operations moved in one transaction. */
const STEP = 200

/** Held operations, and their first provider that no gate closes. They need not wait, and no claim would ever find them. */
const HELD_FOR_NOTHING = `SELECT o.id, n.provider FROM operations o, LATERAL (
    SELECT u.provider FROM json_array_elements_text(
      coalesce(o.providers, json_build_array(o.provider)::text)::json) AS u(provider)
    WHERE NOT EXISTS (SELECT 1 FROM provider_gates g WHERE g.provider = u.provider) LIMIT 1) n
  WHERE o.held_by IS NOT NULL ORDER BY o.id`

interface HeldRow {
  id: number
  provider: string
}

/** Checks that every held operation waits only for providers that are closed or open gradually. */
export async function checkHolds(sql: Sql): Promise<Finding[]> {
  const rows = await sql.rows<HeldRow>(`${HELD_FOR_NOTHING} LIMIT ${TOLD}`)
  return rows.map(({ id, provider }) => ({
    rule: 'held_for_closed',
    message: `${toId(id)} is held, but ${provider === '' ? 'it needs no provider' : `its provider ${provider} can be used`}`,
  }))
}

/** Frees operations that are held although they could run, for example after a restored backup. */
export async function freeHeldForNothing(ledger: PostgresLedger, signal?: AbortSignal): Promise<void> {
  for (let moved = STEP; moved === STEP && !signal?.aborted; ) {
    const rows = await ledger.read(sql => sql.rows<HeldRow>(`${HELD_FOR_NOTHING} LIMIT ${STEP}`))
    if (rows.length === 0) return
    moved = await ledger.transaction(writes => writes.free(rows.map(({ id }) => toId(id))))
  }
}
