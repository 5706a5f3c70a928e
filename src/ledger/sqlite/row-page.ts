import type { SQLInputValue } from 'node:sqlite'
import type { Page, PageRequest } from '../filter.ts'
import type { NumberedIds } from '../row/numbered-id.ts'
import { fittingRows, PAGE_DEFAULT, pageBegin } from '../row/page-bounds.ts'
import type { Statements } from './statements.ts'

/** One condition on rows, with the values of its placeholders. */
export interface RowCondition {
  sql: string
  values: readonly SQLInputValue[]
}

/** The condition that a column has this value or one of these; none if `wanted` is undefined. */
export function isOneOf(
  column: string,
  wanted: string | number | readonly (string | number)[] | undefined,
): RowCondition[] {
  if (wanted === undefined) return []
  // SQLite uses a partial index on non-NULL values for a comparison with one value, but not for every list.
  if (!isList(wanted)) return [{ sql: `${column} = ?`, values: [wanted] }]
  return [{ sql: `${column} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(wanted)] }]
}

function isList(
  wanted: string | number | readonly (string | number)[],
): wanted is readonly (string | number)[] {
  return Array.isArray(wanted)
}

/** Rows of a table with numbered ids, newest first, one page at a time. */
export function pageOfRows<Row extends { id: number }, T>(
  statements: Statements,
  { table, ids, read }: { table: string; ids: NumberedIds; read: (row: Row) => T },
  conditions: readonly RowCondition[],
  { limit = PAGE_DEFAULT, cursor }: PageRequest,
): Page<T> {
  const before = pageBegin(limit, cursor, id => ids.numberOf(id))
  const where = ['id < ?', ...conditions.map(({ sql }) => sql)].join(' AND ')
  const rows = statements
    .of(`SELECT * FROM ${table} WHERE ${where} ORDER BY id DESC LIMIT ?`)
    .all(before, ...conditions.flatMap(({ values }) => values), limit + 1) as unknown as Row[]
  const fitting = fittingRows(rows, limit)
  const last = rows[fitting - 1]
  return {
    items: rows.slice(0, fitting).map(read),
    ...(rows.length > fitting && last ? { next: ids.toId(last.id) } : {}),
  }
}
