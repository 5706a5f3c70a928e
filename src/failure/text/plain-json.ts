const DEEPEST = 4
const MOST_FIELDS = 20
const LONGEST = 300

/**
 * A value as a short JSON text for people. Reads only data: runs no getter and no `toJSON`. Undefined if there is nothing to
 * show.
 */
export function plainJson(value: unknown): string | undefined {
  const text = written(value, DEEPEST, new Set())
  return text !== undefined && text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text
}

function written(value: unknown, depth: number, within: ReadonlySet<unknown>): string | undefined {
  if (typeof value === 'bigint') return `${value}`
  // JSON has none, and a function may have a toJSON, or be a revoked proxy.
  if (typeof value === 'function') return undefined
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (within.has(value)) return '"[circular]"'
  const isArray = isArraySafely(value)
  if (depth === 0) return isArray ? '[…]' : '{…}'
  const inside = new Set([...within, value])
  const fields = dataOf(value).map(
    ([name, field]) => [name, written(field, depth - 1, inside) ?? 'null'] as const,
  )
  if (isArray) return `[${fields.map(([, text]) => text).join(',')}]`
  return `{${fields.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`
}

/** Even this question throws for a revoked proxy. */
function isArraySafely(value: object): boolean {
  try {
    return Array.isArray(value)
  } catch {
    return false
  }
}

/** Own enumerable data. A proxy may throw on any access; then it has none. */
function dataOf(value: object): [string, unknown][] {
  try {
    const found: [string, unknown][] = []
    for (const name of Object.keys(value).slice(0, MOST_FIELDS)) {
      const property = Object.getOwnPropertyDescriptor(value, name)
      if (property && 'value' in property) found.push([name, property.value])
    }
    return found
  } catch {
    return []
  }
}
