import { CANCEL_REASONS, PARK_REASONS } from '../../verdict/verdict.ts'
import type { Counts } from '../filter.ts'
import { OPERATION_STATES } from '../operation.ts'

/** Counts of zero. */
export function noCounts(): Counts {
  const states = Object.fromEntries(OPERATION_STATES.map(state => [state, 0])) as Counts['states']
  return { total: 0, states, parkedFor: {}, deadAs: {}, held: 0, due: 0 }
}

/** Adds one row of counts, by their column names. */
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
