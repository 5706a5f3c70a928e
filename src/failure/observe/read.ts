/**
 * Reading objects that may be anything: proxies (revoked ones too), getters that throw, cycles, null
 * prototypes. Every property is read at most once, nothing is written, nothing escapes.
 */
export type Fields = ReadonlyMap<string, unknown>

const MOST_KEYS = 64

export class Reader {
  readonly #seen = new Map<object, Fields>()
  readonly #known: readonly string[]

  /** @param known fields that are read even where they stand on the prototype, as those of errors do. */
  constructor(known: readonly string[]) {
    this.#known = known
  }

  /** All fields of an object that could be read, from its own enumerable keys and the known ones. */
  fields(value: object): Fields {
    const before = this.#seen.get(value)
    if (before) return before
    const fields = new Map<string, unknown>()
    this.#seen.set(value, fields)
    // What JSON makes has its fields itself; the known ones need not be looked for.
    if (!isPlain(value)) for (const key of this.#known) readInto(fields, value, key)
    for (const key of ownKeys(value)) if (!fields.has(key)) readInto(fields, value, key)
    return fields
  }

  get objectsRead(): number {
    return this.#seen.size
  }

  hasRead(value: object): boolean {
    return this.#seen.has(value)
  }
}

function isPlain(value: object): boolean {
  try {
    const prototype: unknown = Object.getPrototypeOf(value)
    return prototype === Object.prototype || prototype === null
  } catch {
    return false
  }
}

function readInto(fields: Map<string, unknown>, value: object, key: string): void {
  try {
    const read = (value as Record<string, unknown>)[key]
    if (read !== undefined && typeof read !== 'function' && typeof read !== 'symbol') fields.set(key, read)
  } catch {
    // A getter that throws tells us nothing.
  }
}

function ownKeys(value: object): string[] {
  try {
    const keys = Object.keys(value)
    return keys.length > MOST_KEYS ? keys.slice(0, MOST_KEYS) : keys
  } catch {
    return []
  }
}

/** The name of the class that made an object; undefined for plain ones. */
export function constructorName(value: object): string | undefined {
  try {
    const name: unknown = (value as { constructor?: { name?: unknown } }).constructor?.name
    return typeof name === 'string' && name !== 'Object' && name !== 'Array' ? name : undefined
  } catch {
    return undefined
  }
}

/** Elements of a list, at most `most`; empty for what is no list. */
export function elements(value: unknown, most: number): unknown[] {
  try {
    return Array.isArray(value)
      ? Array.from({ length: Math.min(value.length, most) }, (_, i) => value[i])
      : []
  } catch {
    return []
  }
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

export function isList(value: unknown): boolean {
  try {
    return Array.isArray(value)
  } catch {
    return false
  }
}
