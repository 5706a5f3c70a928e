import type { DatabaseSync } from 'node:sqlite'

/** Ids from `from` up to, but not including, `before`. */
export interface IdRange {
  from: number
  before: number
}

/**
 * The ids of operations created in a time range. Between two jumps of the wall clock creation times rise with the ids,
 * so a binary search of each stretch replaces an index that every insert would pay for.
 */
export function rangesOfTime(db: DatabaseSync, createdFrom: number, createdBefore: number): IdRange[] {
  const { last } = db.prepare('SELECT coalesce(max(id), 0) AS last FROM operations').get() as { last: number }
  const jumps = db.prepare('SELECT first FROM clock_jumps ORDER BY first').all() as { first: number }[]
  const starts = [1, ...jumps.map(({ first }) => first)]
  const next = db.prepare(
    'SELECT id, created_at FROM operations WHERE id >= ? AND id < ? ORDER BY id LIMIT 1',
  )
  const firstAtOrAfter = (from: number, before: number, at: number): number => {
    let [low, high] = [from, before]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      // Rows of pruned operations are missing: the next existing one decides for the gap.
      const row = next.get(middle, high) as { id: number; created_at: number } | undefined
      if (!row || row.created_at >= at) high = middle
      else low = row.id + 1
    }
    return low
  }
  return starts
    .map((from, index) => {
      const before = starts[index + 1] ?? last + 1
      return {
        from: firstAtOrAfter(from, before, createdFrom),
        before: firstAtOrAfter(from, before, createdBefore),
      }
    })
    .filter(({ from, before }) => from < before)
}
