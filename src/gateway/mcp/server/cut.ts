import { UnknownName } from '../../../option/unknown-name.ts'

/** The most that an answer holds, in bytes of JSON: 64 KiB. */
export const LARGEST_ANSWER_BYTES = 65_536
/** Room for what stands around a part that is cut. */
const ROOM_BYTES = 2_048

/** Part of a value that is too large to be given as a whole. */
export interface Part {
  /** What it is a part of: keys with dots between them. Empty for all of it. */
  key: string
  value: unknown
  /** Bytes of JSON of the whole value under the key. */
  bytes: number
  /** There is more than `value` holds. */
  isCut: boolean
  /** Items of a list or characters of a text, where the value is one of these. */
  total?: number
  /** Where the next part begins. Undefined: this was the last. */
  nextOffset?: number
  /** What an object holds that is too large: bytes of JSON by key. */
  keys?: Record<string, number>
}

/** Bytes of JSON of a value. */
export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? 'null')
}

/** The value under a key such as `result.items.3`. Throws a {@link UnknownName} that names what is there. */
export function valueAt(whole: unknown, key: string): unknown {
  let value = whole
  let at = ''
  for (const name of key === '' ? [] : key.split('.')) {
    const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    if (!isThere)
      throw new UnknownName(`there is no ${JSON.stringify(name)} ${insideOf(at)}; ${known(value)}`)
    value = (value as Record<string, unknown>)[name]
    at = at === '' ? name : `${at}.${name}`
  }
  return value
}

function insideOf(at: string): string {
  return at === '' ? 'at the top' : `in ${at}`
}

const MOST_NAMED = 30

function known(value: unknown): string {
  if (Array.isArray(value))
    return value.length === 0 ? 'it is an empty list' : `it is a list: 0 to ${value.length - 1}`
  if (typeof value !== 'object' || value === null) return 'it is neither an object nor a list'
  const names = Object.keys(value)
  const more = names.length > MOST_NAMED ? ', …' : ''
  return names.length === 0 ? 'it is empty' : `known: ${names.slice(0, MOST_NAMED).join(', ')}${more}`
}

/** As much of a value as fits: all of it, a page of a list or text, or the keys of an object with their sizes. */
export function partOf(whole: unknown, key = '', offset = 0, most = LARGEST_ANSWER_BYTES): Part {
  const value = valueAt(whole, key)
  const bytes = bytesOf(value)
  const room = Math.max(1, most - ROOM_BYTES)
  if (bytes <= room && offset === 0) return { key, value, bytes, isCut: false }
  if (typeof value === 'string') return { key, bytes, ...textFrom(value, offset, room) }
  if (Array.isArray(value)) return { key, bytes, ...itemsFrom(value, offset, room) }
  if (typeof value !== 'object' || value === null) return { key, value, bytes, isCut: false }
  return { key, bytes, ...keysOf(value as Record<string, unknown>, room) }
}

type Found = Omit<Part, 'key' | 'bytes'>

function textFrom(text: string, offset: number, room: number): Found {
  let end = Math.min(text.length, offset + room)
  while (end > offset + 1 && bytesOf(text.slice(offset, end)) > room)
    end = offset + Math.floor((end - offset) / 2)
  // Half a character is none.
  if (end < text.length && end > offset + 1 && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1
  return found(text.slice(offset, end), end, text.length, offset)
}

function itemsFrom(items: readonly unknown[], offset: number, room: number): Found {
  let end = offset
  let used = 2
  for (; end < items.length; end += 1) {
    used += bytesOf(items[end]) + 1
    if (used > room) break
  }
  // One item alone is too large: its place is given, and it can be asked for by its number.
  if (end === offset && end < items.length)
    return {
      ...found([], end + 1, items.length, offset),
      keys: { [String(offset)]: bytesOf(items[offset]) },
    }
  return found(items.slice(offset, end), end, items.length, offset)
}

function found(value: unknown, end: number, total: number, offset: number): Found {
  const isMore = end < total
  return { value, isCut: isMore || offset > 0, total, ...(isMore ? { nextOffset: end } : {}) }
}

/** Small values stay; of large ones the sizes are told, so that the one that matters can be asked for. */
function keysOf(value: Record<string, unknown>, room: number): Found {
  const entries = Object.entries(value).map(([name, inner]) => ({ name, inner, bytes: bytesOf(inner) }))
  const kept: Record<string, unknown> = {}
  const keys: Record<string, number> = {}
  let used = 2
  for (const { name, inner, bytes } of entries.toSorted((a, b) => a.bytes - b.bytes)) {
    const needed = bytesOf(name) + 2 + bytes
    if (used + needed <= room / 2) {
      kept[name] = inner
      used += needed
    } else if (used + bytesOf(name) + 12 <= room) {
      keys[name] = bytes
      used += bytesOf(name) + 12
    }
  }
  const inOrder = entries.flatMap(({ name }) =>
    Object.hasOwn(kept, name) ? [[name, kept[name]] as const] : [],
  )
  return { value: Object.fromEntries(inOrder), isCut: true, total: entries.length, keys }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}
