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
