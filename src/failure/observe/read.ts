import { isBytes } from './bytes.ts'

/**
 * Reads objects that may be anything: proxies (revoked ones too), getters that throw or change their answer, cycles, null
 * prototypes. Reads every property at most once, writes nothing, never throws.
 *
 * A returned value belongs to the caller: one of its getters may start a request, tee a stream or create a promise that
 * rejects without a listener, which ends the process. So only data is read from a returned value, see {@link dataOf}.
 */
export type Fields = ReadonlyMap<string, unknown>

/** How many fields of an object are read. */
export const MOST_KEYS = 64
/** How many elements of a list are read from its start, and from its end. */
const MOST_AT_END = 32

export class Reader {
  /** The first object is often the only one; keeping it separately saves most answers a map. */
  #first: object | undefined
  #fieldsOfFirst: Fields | undefined
  #seen: Map<object, Fields> | undefined
  #lists: Map<object, unknown[]> | undefined
  readonly #known: readonly string[]
  readonly #isReturned: boolean

  /**
   * @param known fields to read even from the prototype, where errors keep theirs
   * @param isReturned the value was returned, not thrown: leave getters alone, except those of known classes
   */
  constructor(known: readonly string[], isReturned = false) {
    this.#known = known
    this.#isReturned = isReturned
  }

  /** All readable fields of an object: its own enumerable keys and the known ones. */
  fields(value: object): Fields {
    const before = value === this.#first ? this.#fieldsOfFirst : this.#seen?.get(value)
    if (before) return before
    const fields = new Map<string, unknown>()
    this.#remember(value, fields)
    if (isBytes(value) || isBoxed(value)) return fields
    // Objects made by JSON.parse own all their fields, so the prototype need not be searched.
    const isMade = isPlain(value)
    const getters = isMade ? NO_GETTERS : this.#isReturned ? gettersOf(value, this.#known) : this.#known
    for (const key of getters) this.#readInto(fields, value, key)
    for (const key of ownKeys(value, MOST_KEYS)) if (!fields.has(key)) this.#readOwnInto(fields, value, key)
    return fields
  }

  /** A list as first seen: its first and last elements. */
  list(value: object): unknown[] {
    this.#lists ??= new Map()
    const before = this.#lists.get(value)
    if (before) return before
    const read = snapshot(value)
    this.#lists.set(value, read)
    // The snapshot stands for itself.
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

  /** Lists within lists cost as much as objects do. */
  get listsRead(): number {
    return this.#lists?.size ?? 0
  }

  get objectsRead(): number {
    return (this.#first === undefined ? 0 : 1) + (this.#seen?.size ?? 0)
  }

  #readInto(fields: Map<string, unknown>, value: object, key: string): void {
    try {
      this.#note(fields, key, heard((value as Record<string, unknown>)[key]))
    } catch {
      // A getter that throws tells us nothing.
    }
  }

  #readOwnInto(fields: Map<string, unknown>, value: object, key: string): void {
    if (this.#isReturned) this.#note(fields, key, dataOf(value, key))
    else this.#readInto(fields, value, key)
  }

  #note(fields: Map<string, unknown>, key: string, read: unknown): void {
    if (read === undefined || typeof read === 'function' || typeof read === 'symbol') return
    fields.set(key, isList(read) ? this.list(read as object) : read)
  }
}

const NO_GETTERS: readonly string[] = []
const RESPONSE_GETTERS: readonly string[] = ['status', 'statusText', 'headers', 'ok']
const MESSAGE_GETTERS: readonly string[] = ['headers']

/** The getters that may run on a returned object: only those of errors and HTTP responses. */
function gettersOf(value: object, ofErrors: readonly string[]): readonly string[] {
  try {
    if (value instanceof Error) return ofErrors
    if (isResponse(value)) return RESPONSE_GETTERS
    return isIncomingMessage(value) ? MESSAGE_GETTERS : NO_GETTERS
  } catch {
    return NO_GETTERS
  }
}

/** True for a `fetch` response, including one from a package that replaces `fetch`. */
export function isResponse(value: object): value is Response {
  const prototype: unknown = Object.getPrototypeOf(value)
  // Before the class is named, because Node then loads all of fetch, which takes longer than classifying a first failure.
  if (!isObject(prototype) || !('status' in prototype && 'headers' in prototype)) return false
  if (typeof Response === 'function' && value instanceof Response) return true
  if (!Object.hasOwn(prototype, 'status') || !Object.hasOwn(prototype, 'headers')) return false
  const made = dataOf(prototype, 'constructor')
  return typeof made === 'function' && made.name === 'Response'
}

/** Node's `IncomingMessage`, on which many clients build their response. */
function isIncomingMessage(value: object): boolean {
  return typeof dataOf(value, 'statusCode') === 'number' && isList(dataOf(value, 'rawHeaders'))
}

/** An object's own field, as data: reading it runs no code. Undefined for a getter. */
export function dataOf(value: object, key: string): unknown {
  try {
    return Object.hasOwn(value, key) ? heard(Object.getOwnPropertyDescriptor(value, key)?.value) : undefined
  } catch {
    // A proxy that throws.
    return undefined
  }
}

/** A field of a returned value: its own data, or a getter of a known class. */
export function returnedField(value: object, key: string): unknown {
  const own = dataOf(value, key)
  if (own !== undefined || isPlain(value)) return own
  try {
    return gettersOf(value, [key]).includes(key) ? heard((value as Record<string, unknown>)[key]) : undefined
  } catch {
    return undefined
  }
}

const IGNORE = () => {}

/** Adds a listener to a promise we came across: its rejection must not end the process because of us. */
function heard(value: unknown): unknown {
  if (isObject(value) && value instanceof Promise) Promise.prototype.then.call(value, IGNORE, IGNORE)
  return value
}

/** True for objects like those JSON.parse makes: all fields are their own. */
export function isPlain(value: object): boolean {
  try {
    const prototype: unknown = Object.getPrototypeOf(value)
    return prototype === Object.prototype || prototype === null
  } catch {
    return false
  }
}

/** A String object has a key for every character. */
function isBoxed(value: object): boolean {
  try {
    return value instanceof String
  } catch {
    return false
  }
}

/** The first own enumerable keys: an object with a million keys is not listed whole. */
export function ownKeys(value: object, most: number): string[] {
  const keys: string[] = []
  try {
    for (const key in value) {
      if (keys.length === most) break
      if (Object.hasOwn(value, key)) keys.push(key)
    }
  } catch {
    // The keys listed so far are read.
  }
  return keys
}

/** The name of an object's class; undefined for plain objects. */
export function constructorName(value: object): string | undefined {
  try {
    const made = heard((value as { constructor?: unknown }).constructor)
    const name: unknown = (made as { name?: unknown } | undefined)?.name
    return typeof name === 'string' && name !== 'Object' && name !== 'Array' ? name : undefined
  } catch {
    return undefined
  }
}

/** The first `most` elements of a list; empty if it is not a list. */
export function elements(value: unknown, most: number): unknown[] {
  const read: unknown[] = []
  try {
    if (!Array.isArray(value)) return read
    const length = Math.min(value.length, most)
    for (let at = 0; at < length; at++) read.push(value[at])
    return read
  } catch {
    return []
  }
}

/** The last `most` elements of a list; empty if it is not a list. */
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
