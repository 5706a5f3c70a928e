import type { DatabaseSync } from 'node:sqlite'
import { type Counted, holdsByProvider } from '../holds-by-provider.ts'
import type { ProviderAccess } from './provider-access.ts'

/**
 * How many more operations are held for each provider than are marked so. The marks lag behind, because operations are
 * marked and freed a few at a time, when a runner claims.
 */
export function unrecordedHolds(
  db: DatabaseSync,
  access: ProviderAccess,
  now: number,
): Readonly<Record<string, number>> {
  const states = access.read(now)
  const isAnyClosed = [...states.values()].some(({ state }) => state === 'closed')
  const waiting = isAnyClosed ? (db.prepare(WAITING).all(now) as unknown as Counted[]) : []
  return holdsByProvider(states, waiting, db.prepare(MARKED).all(now) as unknown as Counted[])
}

/** Due operations without a mark, by the providers that could serve them. */
const WAITING = `SELECT CASE provider WHEN '' THEN providers ELSE json_array(provider) END AS by, count(*) AS n
  FROM operations INDEXED BY operations_due WHERE state = 'scheduled' AND held_by IS NULL AND due_at <= ?
  AND (provider <> '' OR providers IS NOT NULL) GROUP BY 1`

const MARKED = `SELECT held_by AS by, count(*) AS n FROM operations INDEXED BY operations_held
  WHERE held_by IS NOT NULL AND due_at <= ? GROUP BY held_by`
