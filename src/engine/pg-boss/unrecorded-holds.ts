import type { Sql } from '../../ledger/postgres/sql.ts'
import { ProviderAccess } from './provider-access.ts'

interface Counted {
  by: string
  n: number
}

/** Due operations that are not marked as held, by the providers that could serve them. */
const WAITING = `SELECT CASE provider WHEN '' THEN providers ELSE json_build_array(provider)::text END AS by, count(*) AS n
  FROM operations WHERE state = 'scheduled' AND held_by IS NULL AND due_at <= $1
  AND (provider <> '' OR providers IS NOT NULL) GROUP BY 1`

const MARKED = `SELECT held_by AS by, count(*) AS n FROM operations WHERE held_by IS NOT NULL AND due_at <= $1 GROUP BY 1`

/** How many more operations are held than are marked as held; the marks lag behind: see the embedded engine. */
export async function unrecordedHolds(sql: Sql, now: number): Promise<number> {
  const states = [...(await new ProviderAccess(sql).read(now))]
  const closed = new Set(states.flatMap(([id, { state }]) => (state === 'closed' ? [id] : [])))
  const shut = new Set(
    states.flatMap(([id, { state }]) => (state === 'closed' || state === 'opening' ? [id] : [])),
  )
  const waiting = closed.size > 0 ? await sql.rows<Counted>(WAITING, [now]) : []
  const held = waiting.filter(({ by }) => (JSON.parse(by) as string[]).every(id => closed.has(id)))
  const marked = await sql.rows<Counted>(MARKED, [now])
  return sum(held) - sum(marked.filter(({ by }) => !shut.has(by)))
}

function sum(counted: readonly Counted[]): number {
  return counted.reduce((total, { n }) => total + n, 0)
}
