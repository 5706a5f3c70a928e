import type { Page, PageRequest } from '../filter.ts'
import type { NumberedIds } from '../row/numbered-id.ts'
import { fittingRows, PAGE_DEFAULT, pageBegin } from '../row/page-bounds.ts'
import type { Sql } from './sql.ts'

/** Conditions of a question, as they come together; each value takes the next mark. */
export class Conditions {
  readonly values: unknown[]
  readonly #parts: string[] = []

  /** @param values those that the question has already */
  constructor(...values: unknown[]) {
    this.values = values
  }

  /** Adds a condition; `?` in it stands for the value. */
  add(sql: string, ...values: unknown[]): this {
    let text = sql
    for (const value of values) text = text.replace('?', `$${this.values.push(value)}`)
    this.#parts.push(text)
    return this
  }

  /** The condition that a column has this value, or one of these; none where none is given. */
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

/** Rows of a table with numbered ids, newest first, a page at a time. */
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
