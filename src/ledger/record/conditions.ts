import type { Page, PageRequest } from '../filter.ts'
import type { NumberedIds } from '../row/numbered-id.ts'
import { fittingRows, PAGE_DEFAULT, pageBegin } from '../row/page-bounds.ts'
import { type AskedValue, type Asking, rows } from './asking.ts'

/** A condition on rows, with one value for the `?` in it, if there is one. */
export interface Condition {
  sql: string
  value?: AskedValue
}

/** The condition that a column has this value, or one of these; none if `wanted` is undefined. */
export function isOneOf(
  column: string,
  wanted: string | number | readonly (string | number)[] | undefined,
  type: 'text' | 'bigint' = 'text',
): Condition[] {
  if (wanted === undefined) return []
  if (typeof wanted !== 'object') return [{ sql: `${column} = ?`, value: wanted }]
  return [{ sql: `${column} = ANY(?::${type}[])`, value: wanted }]
}

/**
 * All conditions in one, and their values in the order of their numbers.
 * @param given values that the statement already has
 */
export function whereOf(
  conditions: readonly Condition[],
  ...given: readonly AskedValue[]
): { where: string; values: AskedValue[] } {
  const values = [...given]
  const parts = conditions.map(({ sql, value }) =>
    value === undefined ? sql : sql.replace('?', `$${values.push(value)}`),
  )
  return { where: parts.length === 0 ? 'TRUE' : parts.join(' AND '), values }
}

/** Rows of a table with numbered ids, newest first, one page at a time. */
export function* pageOfRows<Row extends { id: number }, T>(
  {
    table,
    columns = '*',
    ids,
    read,
  }: { table: string; columns?: string; ids: NumberedIds; read: (row: Row) => T },
  conditions: readonly Condition[],
  { limit = PAGE_DEFAULT, cursor }: PageRequest,
): Asking<Page<T>> {
  const before = pageBegin(limit, cursor, id => ids.numberOf(id))
  const { where, values } = whereOf([{ sql: 'id < ?', value: before }, ...conditions])
  const found = yield* rows<Row>(
    `SELECT ${columns} FROM ${table} WHERE ${where} ORDER BY id DESC LIMIT $${values.push(limit + 1)}`,
    ...values,
  )
  const fitting = fittingRows(found, limit)
  const last = fitting.at(-1)
  return {
    items: fitting.map(read),
    ...(found.length > fitting.length && last ? { next: ids.toId(last.id) } : {}),
  }
}
