import { ENGINE_PREFIX } from '../ledger/hold-words.ts'
import { type Asking, rows } from '../ledger/record/asking.ts'
import { accesses } from './provider-access.ts'

/** Due operations, by the providers that could serve them. */
interface Waiting {
  /** Empty for a pool. */
  provider: string
  /** A pool's, as JSON. */
  providers: string | null
  n: number
}

/**
 * How many more operations are held for each provider than are marked so: those that are due with all providers closed, minus
 * those that are marked and due but could be claimed. The marks lag behind, because operations are marked and freed a few at a
 * time, when a runner claims. An operation of a pool is held for the provider that is free first.
 */
export function* unrecordedHolds(now: number): Asking<Readonly<Record<string, number>>> {
  const states = yield* accesses(now)
  const more = new Map<string, number>()
  const add = (provider: string, count: number) => more.set(provider, (more.get(provider) ?? 0) + count)
  const endOf = (provider: string) => {
    const access = states.get(provider)
    return access?.state === 'closed' ? access.until : undefined
  }
  const isAnyClosed = [...states.values()].some(({ state }) => state === 'closed')
  for (const { provider, providers, n } of isAnyClosed ? yield* rows<Waiting>(WAITING, now) : []) {
    const pool: string[] = provider === '' ? JSON.parse(providers as string) : [provider]
    const ends = pool.map(id => ({ id, end: endOf(id) }))
    const first = ends.reduce((a, b) => ((b.end ?? 0) < (a.end ?? 0) ? b : a))
    if (ends.every(({ end }) => end !== undefined)) add(first.id, n)
  }
  for (const { by, n } of yield* rows<{ by: string; n: number }>(MARKED, now)) {
    const state = states.get(by)?.state
    // What another engine holds is held, whatever this one knows.
    if (state !== 'closed' && state !== 'opening' && !by.startsWith(ENGINE_PREFIX)) add(by, -n)
  }
  return Object.fromEntries(more)
}

const WAITING = `SELECT provider, CASE provider WHEN '' THEN providers END AS providers, count(*) AS n FROM operations
  WHERE state = 'scheduled' AND held_by IS NULL AND due_at <= $1 AND (provider <> '' OR providers IS NOT NULL) GROUP BY 1, 2`

const MARKED = `SELECT held_by AS by, count(*) AS n FROM operations WHERE held_by IS NOT NULL AND due_at <= $1 GROUP BY 1`
