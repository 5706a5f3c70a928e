import type { DatabaseSync } from 'node:sqlite'
import type { ProviderAccess } from './provider-access.ts'

/**
 * How many more operations are held than are marked so: those that are due with all providers closed, minus those that
 * are marked and due but could be claimed. The marks lag behind, because operations are marked and freed a few at a
 * time, when a runner claims.
 */
export function unrecordedHolds(db: DatabaseSync, access: ProviderAccess, now: number): number {
  const states = [...access.read(now)]
  const closed = new Set(states.flatMap(([id, { state }]) => (state === 'closed' ? [id] : [])))
  const shut = new Set(
    states.flatMap(([id, { state }]) => (state === 'closed' || state === 'opening' ? [id] : [])),
  )
  const waiting = closed.size > 0 ? (db.prepare(WAITING).all(now) as unknown as Counted[]) : []
  const held = waiting.filter(({ by }) => (JSON.parse(by) as string[]).every(id => closed.has(id)))
  const marked = db.prepare(MARKED).all(now) as unknown as Counted[]
  return sum(held) - sum(marked.filter(({ by }) => !shut.has(by)))
}

interface Counted {
  by: string
  n: number
}

/** Due operations without a mark, by the providers that could serve them. */
const WAITING = `SELECT CASE provider WHEN '' THEN providers ELSE json_array(provider) END AS by, count(*) AS n
  FROM operations INDEXED BY operations_due WHERE state = 'scheduled' AND held_by IS NULL AND due_at <= ?
  AND (provider <> '' OR providers IS NOT NULL) GROUP BY 1`

const MARKED = `SELECT held_by AS by, count(*) AS n FROM operations INDEXED BY operations_held
  WHERE held_by IS NOT NULL AND due_at <= ? GROUP BY held_by`

function sum(counted: readonly Counted[]): number {
  return counted.reduce((total, { n }) => total + n, 0)
}
