import type { DatabaseSync } from 'node:sqlite'
import { CANCEL_REASONS, PARK_REASONS } from '../../verdict/verdict.ts'
import type { Counts } from '../filter.ts'
import { OPERATION_STATES } from '../operation.ts'
import { noCounts } from '../row/counted.ts'
import { type RowFilter, timeRangesOf } from './conditions.ts'
import { type CountedAt, countRows, rounded } from './counting.ts'
import type { Source } from './source.ts'

/** Operations are divided by number into 2^BITS slices. */
const BITS = 6
const SLICES = 2 ** BITS
/** An estimate from fewer operations would be a guess. */
const ENOUGH = 500

/** Operation numbers: `from` inclusive, `before` exclusive. */
export interface Slice {
  from: number
  before: number
}

/** The slice with all operations. */
export const EVERYTHING: Slice = { from: 0, before: Number.MAX_SAFE_INTEGER }

/** Counts everything the sources return. */
export function countAll(db: DatabaseSync, sources: readonly Source[], when: CountedAt): Counts {
  const counts = noCounts()
  for (const source of sources) countRows(db, counts, source, when)
  return counts
}

/**
 * Counts slice by slice, spread over all operations, until patience runs out, then estimates the rest from the slices
 * counted. Exact if everything was counted in time.
 * @param within the range that matches can be in
 */
export function countInSlices(
  db: DatabaseSync,
  sourcesIn: (slice: Slice) => readonly Source[],
  within: Slice,
  when: CountedAt,
  patienceMs: number,
): Counts {
  const counts = noCounts()
  // Two subqueries: if asked for both at once, SQLite reads every row.
  const { first, last } = db
    .prepare('SELECT (SELECT min(id) FROM operations) AS first, (SELECT max(id) FROM operations) AS last')
    .get() as { first: number | null; last: number | null }
  if (first === null || last === null) return counts
  const from = Math.max(first, within.from)
  const width = Math.max(0, Math.min(last + 1, within.before) - from) / SLICES
  const at = (slice: number) => Math.round(from + slice * width)
  const start = performance.now()
  for (let done = 0; done < SLICES; done++) {
    // Spread over old and new operations: what is common now may have been rare before.
    const slice = reversed(done)
    for (const source of sourcesIn({ from: at(slice), before: at(slice + 1) }))
      countRows(db, counts, source, when)
    // A few matches say little about the rest, so they are worth some more patience.
    const isEnough = counts.total >= ENOUGH || performance.now() - start > patienceMs * 2
    if (performance.now() - start > patienceMs && isEnough && done + 1 < SLICES)
      return scaled(counts, SLICES / (done + 1))
  }
  return counts
}

/** The operations within the time range of a filter, including any gaps in it. */
export function timeSlice(db: DatabaseSync, filter: RowFilter): Slice {
  const ranges = timeRangesOf(db, filter)
  if (!ranges) return EVERYTHING
  const [from, before] = [ranges.map(range => range.from), ranges.map(range => range.before)]
  return ranges.length === 0
    ? { from: 0, before: 0 }
    : { from: Math.min(...from), before: Math.max(...before) }
}

/** Restricts a source to a slice. */
export function inSlice(source: Source, { from, before }: Slice): Source {
  return {
    ...source,
    where: [...source.where, `${source.id} >= ?`, `${source.id} < ?`],
    values: [...source.values, from, before],
  }
}

/** Reverses the bits of a number. */
function reversed(number: number): number {
  let turned = 0
  for (let bit = 0; bit < BITS; bit++) if (number & (1 << bit)) turned |= 1 << (BITS - 1 - bit)
  return turned
}

function scaled({ total, states, parkedFor, deadAs, held, due }: Counts, factor: number): Counts {
  const about = (count: number) => rounded(count * factor)
  const all = <K extends string>(names: readonly K[], of: Partial<Record<K, number>>) =>
    Object.fromEntries(names.flatMap(name => (of[name] === undefined ? [] : [[name, about(of[name] ?? 0)]])))
  return {
    total: about(total),
    states: all(OPERATION_STATES, states) as Counts['states'],
    parkedFor: all(PARK_REASONS, parkedFor),
    deadAs: all(CANCEL_REASONS, deadAs),
    held: about(held),
    due: about(due),
    about: true,
  }
}
