import type { DatabaseSync } from 'node:sqlite'
import { CANCEL_REASONS, PARK_REASONS } from '../../verdict/verdict.ts'
import type { Counts } from '../filter.ts'
import { OPERATION_STATES } from '../operation.ts'
import type { Holders } from '../record/holds.ts'
import { addCounted } from '../row/counted.ts'
import type { Source } from './source.ts'

/** Why dead operations died. */
export const DEAD_AS = CANCEL_REASONS.map(reason => `sum(dead_as = '${reason}') AS as_${reason}`)

const IS_DUE = "state = 'scheduled' AND held_by IS NULL AND due_at <= ?1"

/** Sums in one pass: grouping would first sort everything, in memory. */
const COUNTED = [
  ...OPERATION_STATES.map(state => `sum(state = '${state}') AS ${state}`),
  ...PARK_REASONS.map(reason => `sum(parked_for = '${reason}') AS for_${reason}`),
  ...DEAD_AS,
  'sum(held_by IS NOT NULL) AS elsewhere',
  `sum(${IS_DUE}) AS waiting`,
].join(', ')

/** When to count, and which due operations are held then. */
export interface CountedAt {
  now: number
  held: Holders
}

/** Digits of an estimate: more would look exact. */
const DIGITS = 3

/** Rounds an estimate for display. */
export function rounded(count: number): number {
  return Math.round(Number(count.toPrecision(DIGITS)))
}

/** Adds what a source returns, row by row. */
export function countRows(
  db: DatabaseSync,
  counts: Counts,
  { from, where, values }: Source,
  { now, held }: CountedAt,
): void {
  const pools = [...held.keys()]
  const marks = pools.map((_, index) => `?${index + 2}`)
  const ofHeld = pools.length === 0 ? '0' : `sum(${IS_DUE} AND operations.provider IN (${marks.join(', ')}))`
  const row = db
    .prepare(
      `SELECT ${COUNTED}, ${ofHeld} AS held FROM ${from} WHERE ${where.length > 0 ? where.join(' AND ') : 'TRUE'}`,
    )
    .get(now, ...pools, ...values) as Record<string, number | null>
  const { elsewhere, waiting, held: holding, ...rest } = row
  addCounted(counts, {
    ...rest,
    held: (elsewhere ?? 0) + (holding ?? 0),
    due: (waiting ?? 0) - (holding ?? 0),
  })
}
