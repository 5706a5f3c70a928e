import type { Page, PageRequest } from '../filter.ts'
import type { NumberedIds } from '../row/numbered-id.ts'
import { fittingRows, PAGE_DEFAULT, pageBegin } from '../row/page-bounds.ts'
import type { Sql } from './sql.ts'

/** Collects the conditions of a query; each value gets the next `$n`. */
export class Conditions {
  readonly values: unknown[]
  readonly #parts: string[] = []

  /** @param values values that the query already has */
  constructor(...values: unknown[]) {
    this.values = values
  }

  /** Adds a condition; each `?` in it becomes a value. */
  add(sql: string, ...values: unknown[]): this {
    let text = sql
    for (const value of values) text = text.replace('?', `$${this.values.push(value)}`)
    this.#parts.push(text)
    return this
  }

  /** Requires that a column has this value, or one of these; undefined adds no condition. */
  isOneOf(
    column: string,
    wanted: string | number | readonly (string | number)[] | undefined,
    type: 'text' | 'bigint' = 'text',
  ): this {
    if (wanted === undefined) return this
    return Array.isArray(wanted)
      ? this.add(`${column} = ANY(?::${type}[])`, wanted)
      : this.add(`${column} = ?`, wanted)
  }

  get sql(): string {
    return this.#parts.length === 0 ? 'TRUE' : this.#parts.join(' AND ')
  }
}

/** One page of rows of a table with numbered ids, newest first. */
export async function pageOfRows<Row extends { id: number }, T>(
  sql: Sql,
  { table, ids, read }: { table: string; ids: NumberedIds; read: (row: Row) => T },
  conditions: Conditions,
  { limit = PAGE_DEFAULT, cursor }: PageRequest,
): Promise<Page<T>> {
  conditions.add(
    'id < ?',
    pageBegin(limit, cursor, id => ids.numberOf(id)),
  )
  const rows = await sql.rows<Row>(
    `SELECT * FROM ${table} WHERE ${conditions.sql} ORDER BY id DESC LIMIT ${limit + 1}`,
    conditions.values,
  )
  const fitting = fittingRows(rows, limit)
  const last = rows[fitting - 1]
  return {
    items: rows.slice(0, fitting).map(read),
    ...(rows.length > fitting && last ? { next: ids.toId(last.id) } : {}),
  }
}
