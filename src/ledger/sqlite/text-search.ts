import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { ATTEMPTS_PER_OPERATION } from '../row/rows.ts'
import { soughtWords } from '../row/words-in-text.ts'
import { type RowFilter, timeRangesOf } from './conditions.ts'

/** A search in the texts of failures: a condition on the text index, whose row ids are those of attempts. */
export interface TextSearch {
  where: string
  values: readonly SQLInputValue[]
}

/** The words of a filter, within the ids allowed by its times, the cursor and a slice. */
export function textSearch(
  db: DatabaseSync,
  filter: RowFilter & { text: string },
  before = Number.MAX_SAFE_INTEGER,
  after = 0,
): TextSearch {
  const ranges = timeRangesOf(db, filter)
  const from = Math.max(after, ranges ? Math.min(...ranges.map(range => range.from)) : 0)
  const end = Math.min(before, ...(ranges ? [Math.max(0, ...ranges.map(range => range.before))] : []))
  return {
    where: 'failure_texts MATCH ? AND rowid >= ? AND rowid < ?',
    values: [textQuery(filter.text), firstOf(from), firstOf(end)],
  }
}

/** Row id of an operation's first attempt; an unbounded number stays unbounded. */
function firstOf(operation: number): number {
  const row = operation * ATTEMPTS_PER_OPERATION
  return Number.isSafeInteger(row) ? row : Number.MAX_SAFE_INTEGER
}

/** Words in the syntax of the text index: each quoted, all required, the last one as a prefix. */
function textQuery(text: string): string {
  const words = soughtWords(text).map(word => `"${word}"`)
  return `${words.join(' ')}*`
}
