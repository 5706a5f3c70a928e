import { LedgerError } from '../error.ts'

/** Default number of rows on a page. */
export const PAGE_DEFAULT = 50
/** Maximum number of rows on a page. */
export const LONGEST_PAGE = 1_000
/** Maximum number of characters of stored JSON on a page. A page ends there, but has at least one row. */
const LARGEST_PAGE = 2_097_152

/** Returns the number that all rows of a page are below. Refuses an invalid limit or cursor. */
export function pageBegin(
  limit: number,
  cursor: string | undefined,
  numberOf: (id: string) => number | undefined,
): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > LONGEST_PAGE)
    throw new LedgerError('invalid', `limit must be an integer from 1 to ${LONGEST_PAGE}, not ${limit}`)
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : numberOf(cursor)
  if (before === undefined)
    throw new LedgerError(
      'invalid',
      `cursor must be \`next\` of the previous page, not ${JSON.stringify(cursor)}`,
    )
  return before
}

/**
 * The first rows that fit on a page: up to its limit and size, but at least one. Takes no more of them than it must.
 * @param sizeOf in characters. Default those of all its texts
 */
export function fittingRows<Row extends object>(
  rows: Iterable<Row>,
  limit: number,
  sizeOf: (row: Row) => number = sizeOfTexts,
): Row[] {
  const fitting: Row[] = []
  let size = 0
  for (const row of rows) {
    size += sizeOf(row)
    if (size > LARGEST_PAGE && fitting.length > 0) break
    if (fitting.push(row) === limit) break
  }
  return fitting
}

function sizeOfTexts(row: object): number {
  let size = 0
  for (const value of Object.values(row) as unknown[]) if (typeof value === 'string') size += value.length
  return size
}
