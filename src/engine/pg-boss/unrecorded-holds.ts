import type { Sql } from '../../ledger/postgres/sql.ts'
import { type Counted, holdsByProvider } from '../holds-by-provider.ts'
import { ProviderAccess } from './provider-access.ts'

/** Due operations that are not marked as held, by the providers that could serve them. */
const WAITING = `SELECT CASE provider WHEN '' THEN providers ELSE json_build_array(provider)::text END AS by, count(*) AS n
  FROM operations WHERE state = 'scheduled' AND held_by IS NULL AND due_at <= $1
  AND (provider <> '' OR providers IS NOT NULL) GROUP BY 1`

const MARKED = `SELECT held_by AS by, count(*) AS n FROM operations WHERE held_by IS NOT NULL AND due_at <= $1 GROUP BY 1`

/** How many more operations are held for each provider than are marked as held: see the embedded engine. */
export async function unrecordedHolds(sql: Sql, now: number): Promise<Readonly<Record<string, number>>> {
  const states = await new ProviderAccess(sql).read(now)
  const isAnyClosed = [...states.values()].some(({ state }) => state === 'closed')
  const waiting = isAnyClosed ? await sql.rows<Counted>(WAITING, [now]) : []
  return holdsByProvider(states, waiting, await sql.rows<Counted>(MARKED, [now]))
}
