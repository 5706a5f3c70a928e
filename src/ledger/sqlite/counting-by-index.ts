import type { DatabaseSync } from 'node:sqlite'
import type { Counts, OperationFilter } from '../filter.ts'
import type { Holders } from '../record/holds.ts'
import { addCounted, noCounts } from '../row/counted.ts'
import { OF_DELIVERIES } from '../row/filter-columns.ts'
import { DEAD_AS, rounded } from './counting.ts'
import type { Source } from './source.ts'
import { byState } from './sources.ts'

/** In the order of the due index, so that nothing is sorted. */
const BY_POOL = 'provider, count(*) AS n, sum(due_at <= ?1) AS due'
const DEAD = ['count(*) AS n', ...DEAD_AS].join(', ')

/** Ledgers that span at most this many numbers are counted in this thread, which takes 2 ms at most. */
const QUICK_SPAN = 30_000
/** The same for a process that counts rarely, such as a command: 30 ms at most. */
const RARE_SPAN = 500_000

/**
 * Whether counting from indices is best done in this thread. Starting another takes half a second on a loaded machine; but one who
 * counts again and again must not keep leases from being renewed.
 */
export function isQuickToCount(db: DatabaseSync, filter: OperationFilter, isRare: boolean): boolean {
  if (!isByState(filter)) return false
  const { span } = db
    .prepare('SELECT (SELECT max(id) FROM operations) - (SELECT min(id) FROM operations) AS span')
    .get() as { span: number | null }
  return (span ?? 0) < (isRare ? RARE_SPAN : QUICK_SPAN)
}

/** True for filters that can be counted without reading every matching row. */
export function isByState(filter: OperationFilter): boolean {
  return Object.entries(filter).every(
    ([name, value]) =>
      value === undefined || name === 'state' || name === 'capability' || name === 'deliveries',
  )
}

/**
 * Counts by state and capability from indexes; reads rows only to see why dead operations died.
 * @param patienceMs after about this long, those reasons are estimated from the rows read so far; everything else stays
 * exact. Default never
 */
export function countByIndex(
  db: DatabaseSync,
  filter: OperationFilter,
  now: number,
  held: Holders,
  patienceMs = Infinity,
): Counts {
  const counts = noCounts()
  const start = performance.now()
  let lookedAt = 0
  if (filter.state?.length === 0 || filter.capability?.length === 0) return counts
  const also = filter.deliveries ? [OF_DELIVERIES[filter.deliveries]] : []
  for (const { shared, from, where, values } of byState(db, filter)) {
    const { state, parkedFor, isHeld } = shared as NonNullable<Source['shared']>
    const condition = [...where, ...also].join(' AND ')
    if (state === 'scheduled' && !isHeld) {
      const pools = db
        .prepare(`SELECT ${BY_POOL} FROM ${from} WHERE ${condition} GROUP BY capability, provider`)
        .all(now, ...values) as { provider: string; n: number; due: number }[]
      for (const { provider, n, due } of pools)
        addCounted(counts, { scheduled: n, [held.has(provider) ? 'held' : 'due']: due })
      continue
    }
    const isLooked = state === 'dead' && (lookedAt === 0 || performance.now() - start <= patienceMs)
    const { n = 0, ...more } = db
      .prepare(`SELECT ${isLooked ? DEAD : 'count(*) AS n'} FROM ${from} WHERE ${condition}`)
      .get(...values) as Record<string, number | null>
    if (isLooked) lookedAt += n ?? 0
    addCounted(counts, {
      ...more,
      [state]: n,
      ...(parkedFor === undefined ? {} : { [`for_${parkedFor}`]: n }),
      ...(isHeld ? { held: n } : {}),
    })
  }
  const { dead } = counts.states
  if (lookedAt === dead) return counts
  const deadAs = Object.fromEntries(
    Object.entries(counts.deadAs).map(([reason, count]) => [reason, rounded((count * dead) / lookedAt)]),
  )
  return { ...counts, deadAs, about: true }
}
