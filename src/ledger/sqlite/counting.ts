import type { DatabaseSync } from 'node:sqlite'
import { CANCEL_REASONS, PARK_REASONS } from '../../verdict/verdict.ts'
import type { Counts } from '../filter.ts'
import { OPERATION_STATES } from '../operation.ts'
import type { Source } from './source.ts'

/** What the dead died of. */
export const DEAD_AS = CANCEL_REASONS.map(reason => `sum(dead_as = '${reason}') AS as_${reason}`)

/** Sums in one pass: grouping would sort everything first, in memory. */
const COUNTED = [
  ...OPERATION_STATES.map(state => `sum(state = '${state}') AS ${state}`),
  ...PARK_REASONS.map(reason => `sum(parked_for = '${reason}') AS for_${reason}`),
  ...DEAD_AS,
  'sum(held_by IS NOT NULL) AS held',
  "sum(state = 'scheduled' AND held_by IS NULL AND due_at <= ?) AS due",
].join(', ')

export function noCounts(): Counts {
  const states = Object.fromEntries(OPERATION_STATES.map(state => [state, 0])) as Counts['states']
  return { total: 0, states, parkedFor: {}, deadAs: {}, held: 0, due: 0 }
}

/** Adds what a source gives, row by row. */
export function countRows(
  db: DatabaseSync,
  counts: Counts,
  { from, where, values }: Source,
  now: number,
): void {
  const row = db
    .prepare(`SELECT ${COUNTED} FROM ${from} WHERE ${where.length > 0 ? where.join(' AND ') : 'TRUE'}`)
    .get(now, ...values) as Record<string, number | null>
  addCounted(counts, row)
}

/** Adds one row of counts, by the names that {@link COUNTED} gives them. */
export function addCounted(counts: Counts, row: Record<string, number | null>): void {
  for (const state of OPERATION_STATES) {
    counts.states[state] += row[state] ?? 0
    counts.total += row[state] ?? 0
  }
  for (const reason of PARK_REASONS) {
    const parked = row[`for_${reason}`] ?? 0
    if (parked > 0) counts.parkedFor[reason] = (counts.parkedFor[reason] ?? 0) + parked
  }
  for (const reason of CANCEL_REASONS) {
    const dead = row[`as_${reason}`] ?? 0
    if (dead > 0) counts.deadAs[reason] = (counts.deadAs[reason] ?? 0) + dead
  }
  counts.held += row.held ?? 0
  counts.due += row.due ?? 0
}
