import { LedgerError } from '../error.ts'

/** Rows of a page where nothing is said. */
export const PAGE_DEFAULT = 50
/** Rows that a page may have. */
export const LONGEST_PAGE = 1_000
/** Characters of stored JSON on one page; it ends there, however few operations these are, but never with none. */
export const LARGEST_PAGE = 8_388_608

/** The number that all of a page are below. Refuses a limit or a cursor that cannot be. */
export function pageBegin(
  limit: number,
  cursor: string | undefined,
  numberOf: (id: string) => number | undefined,
): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > LONGEST_PAGE)
    throw new LedgerError('invalid', `limit ${limit}: give an integer from 1 to ${LONGEST_PAGE}`)
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : numberOf(cursor)
  if (before === undefined)
    throw new LedgerError('invalid', `cursor ${JSON.stringify(cursor)}: give \`next\` of the page before`)
  return before
}

/** How many of these rows fit on a page: up to its limit and size, but never none. */
export function fittingRows(rows: readonly object[], limit: number): number {
  let [size, fitting] = [0, 0]
  for (const row of rows.slice(0, limit)) {
    for (const value of Object.values(row) as unknown[]) if (typeof value === 'string') size += value.length
    if (size > LARGEST_PAGE && fitting > 0) break
    fitting++
  }
  return fitting
}
