import { isBytes } from './bytes.ts'

/**
 * Reading objects that may be anything: proxies (revoked ones too), getters that throw or change their answer,
 * cycles, null prototypes. Every property is read at most once, nothing is written, nothing escapes.
 */
export type Fields = ReadonlyMap<string, unknown>

/** Fields of an object that are read. */
export const MOST_KEYS = 64
/** Elements of a list that are read: so many from its start, and as many from its end. */
const MOST_AT_END = 32

export class Reader {
  /** The first object, which is often the only one, stands by itself: most answers need no map. */
  #first: object | undefined
  #fieldsOfFirst: Fields | undefined
  #seen: Map<object, Fields> | undefined
  #lists: Map<object, unknown[]> | undefined
  readonly #known: readonly string[]

  /** @param known fields that are read even where they stand on the prototype, as those of errors do. */
  constructor(known: readonly string[]) {
    this.#known = known
  }

  /** All fields of an object that could be read, from its own enumerable keys and the known ones. */
  fields(value: object): Fields {
    const before = value === this.#first ? this.#fieldsOfFirst : this.#seen?.get(value)
    if (before) return before
    const fields = new Map<string, unknown>()
    this.#remember(value, fields)
    if (isBytes(value) || isBoxed(value)) return fields
    // What JSON makes has its fields itself; the known ones need not be looked for.
    if (!isPlain(value)) for (const key of this.#known) this.#readInto(fields, value, key)
    for (const key of ownKeys(value, MOST_KEYS)) if (!fields.has(key)) this.#readInto(fields, value, key)
    return fields
  }

  /** A list as it was when it was first seen: the first and the last of its elements. */
  list(value: object): unknown[] {
    this.#lists ??= new Map()
    const before = this.#lists.get(value)
    if (before) return before
    const read = snapshot(value)
    this.#lists.set(value, read)
    // What was read once stands for itself.
    this.#lists.set(read, read)
    return read
  }

  #remember(value: object, fields: Fields): void {
    if (this.#first === undefined) {
      this.#first = value
      this.#fieldsOfFirst = fields
      return
    }
    this.#seen ??= new Map()
    this.#seen.set(value, fields)
  }

  get objectsRead(): number {
    return (this.#first === undefined ? 0 : 1) + (this.#seen?.size ?? 0)
  }

  #readInto(fields: Map<string, unknown>, value: object, key: string): void {
    try {
      const read = (value as Record<string, unknown>)[key]
      if (read === undefined || typeof read === 'function' || typeof read === 'symbol') return
      fields.set(key, isList(read) ? this.list(read as object) : read)
    } catch {
      // A getter that throws tells us nothing.
    }
  }
}

/** True for what JSON makes: an object whose fields are all its own. */
export function isPlain(value: object): boolean {
  try {
    const prototype: unknown = Object.getPrototypeOf(value)
    return prototype === Object.prototype || prototype === null
  } catch {
    return false
  }
}

/** A string in an object has a key for every character. */
function isBoxed(value: object): boolean {
  try {
    return value instanceof String
  } catch {
    return false
  }
}

/** Own enumerable keys, the first of them: an object with a million keys is not listed whole. */
export function ownKeys(value: object, most: number): string[] {
  const keys: string[] = []
  try {
    for (const key in value) {
      if (keys.length === most) break
      if (Object.hasOwn(value, key)) keys.push(key)
    }
  } catch {
    // Those that were listed are read.
  }
  return keys
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

/** The last elements of a list, at most `most`; empty for what is no list. */
export function lastElements(value: unknown, most: number): unknown[] {
  try {
    if (!Array.isArray(value)) return []
    const { length } = value
    const from = Math.max(0, length - most)
    return Array.from({ length: length - from }, (_, i) => value[from + i])
  } catch {
    return []
  }
}

function snapshot(value: object): unknown[] {
  const read: unknown[] = []
  try {
    const list = value as unknown[]
    const { length } = list
    for (let at = 0; at < length; at++) {
      if (at === MOST_AT_END && length > MOST_AT_END * 2) at = length - MOST_AT_END
      read.push(elementOf(list, at))
    }
  } catch {
    // The elements before the one that threw are read.
  }
  return read
}

function elementOf(list: unknown[], at: number): unknown {
  try {
    return list[at]
  } catch {
    return undefined
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
