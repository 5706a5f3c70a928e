import type { SQLInputValue } from 'node:sqlite'
import { LedgerError } from '../error.ts'
import type { Page, PageRequest } from '../filter.ts'
import { LARGEST_PAGE, LONGEST_PAGE, PAGE_DEFAULT } from './listing.ts'
import type { NumberedIds } from './numbered-id.ts'
import type { Statements } from './statements.ts'

/** One condition on rows; the values of its marks with it. */
export interface RowCondition {
  sql: string
  values: readonly SQLInputValue[]
}

/** The condition that a column has this value, or one of these; none where none is given. */
export function isOneOf(
  column: string,
  wanted: string | number | readonly (string | number)[] | undefined,
): RowCondition[] {
  if (wanted === undefined) return []
  // An index of what is not NULL is used for a comparison with one value, and not for each list.
  if (!isList(wanted)) return [{ sql: `${column} = ?`, values: [wanted] }]
  return [{ sql: `${column} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(wanted)] }]
}

function isList(
  wanted: string | number | readonly (string | number)[],
): wanted is readonly (string | number)[] {
  return Array.isArray(wanted)
}

/** Rows of a table with numbered ids, newest first, a page at a time. */
export function pageOfRows<Row extends { id: number }, T>(
  statements: Statements,
  { table, ids, read }: { table: string; ids: NumberedIds; read: (row: Row) => T },
  conditions: readonly RowCondition[],
  { limit = PAGE_DEFAULT, cursor }: PageRequest,
): Page<T> {
  if (!Number.isInteger(limit) || limit < 1 || limit > LONGEST_PAGE)
    throw new LedgerError('invalid', `limit ${limit}: give an integer from 1 to ${LONGEST_PAGE}`)
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : ids.numberOf(cursor)
  if (before === undefined)
    throw new LedgerError('invalid', `cursor ${JSON.stringify(cursor)}: give \`next\` of the page before`)
  const where = ['id < ?', ...conditions.map(({ sql }) => sql)].join(' AND ')
  const rows = statements
    .of(`SELECT * FROM ${table} WHERE ${where} ORDER BY id DESC LIMIT ?`)
    .all(before, ...conditions.flatMap(({ values }) => values), limit + 1) as unknown as Row[]
  let [size, fitting] = [0, 0]
  for (const row of rows.slice(0, limit)) {
    for (const value of Object.values<unknown>(row)) if (typeof value === 'string') size += value.length
    if (size > LARGEST_PAGE && fitting > 0) break
    fitting++
  }
  const last = rows[fitting - 1]
  return {
    items: rows.slice(0, fitting).map(read),
    ...(rows.length > fitting && last ? { next: ids.toId(last.id) } : {}),
  }
}
