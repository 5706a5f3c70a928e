/** Deeper or more values than this are left out: a result is for reading, not for moving a database. */
const DEEPEST = 64
const MOST_VALUES = 200_000

/** What JSON can express. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/**
 * Converts any value to JSON. JSON values stay unchanged; what JSON cannot express is described: `{"$bigint": "1"}`,
 * `{"$error": …}`, `"[circular]"`. Undefined fields are left out, as in JSON. Never throws.
 */
export function toJson(value: unknown): Json | undefined {
  return new Writer().write(value, 0)
}

class Writer {
  readonly #above = new Set<object>()
  #values = 0

  write(value: unknown, depth: number): Json | undefined {
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return value
      case 'number':
        return Number.isFinite(value) ? value : { $number: String(value) }
      case 'bigint':
        return { $bigint: String(value) }
      case 'undefined':
        return undefined
      case 'function':
        return '[function]'
      case 'symbol':
        return '[symbol]'
      case 'object':
        return value === null ? null : this.#object(value, depth)
    }
  }

  #object(value: object, depth: number): Json {
    if (this.#above.has(value)) return '[circular]'
    if (depth >= DEEPEST || ++this.#values > MOST_VALUES) return '[left out: too deep or too much]'
    this.#above.add(value)
    try {
      return this.#described(value, depth)
    } catch {
      // A user's getter, proxy or toJSON may throw.
      return '[unreadable]'
    } finally {
      this.#above.delete(value)
    }
  }

  #described(value: object, depth: number): Json {
    if (Array.isArray(value)) return this.#list(value, depth)
    if (value instanceof Error) return { $error: this.#error(value, depth) }
    if (value instanceof Date)
      return Number.isNaN(value.getTime()) ? { $date: 'invalid' } : value.toISOString()
    if (value instanceof Map) return { $map: this.#list([...value], depth) }
    if (value instanceof Set) return { $set: this.#list([...value], depth) }
    if (ArrayBuffer.isView(value))
      return { $bytes: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64') }
    const { toJSON } = value as { toJSON?: unknown }
    if (typeof toJSON === 'function') return this.write(toJSON.call(value, ''), depth + 1) ?? null
    return this.#fields(Object.entries(value), depth)
  }

  /** An error's name and message, its own fields and its cause; the stack is for logs. */
  #error(error: Error, depth: number): Json {
    const { name, message, cause } = error
    const own = Object.entries(error).filter(([key]) => key !== 'stack')
    return this.#fields([['name', name], ['message', message], ...own, ['cause', cause]], depth)
  }

  #list(list: readonly unknown[], depth: number): Json[] {
    // Array.from fills the holes of sparse lists.
    return Array.from(list, item => this.write(item, depth + 1) ?? null)
  }

  #fields(entries: readonly (readonly [string, unknown])[], depth: number): Json {
    const written = entries.flatMap(([key, value]) => {
      const json = this.write(value, depth + 1)
      return json === undefined ? [] : [[key, json] as const]
    })
    return Object.fromEntries(written)
  }
}
