/** The position of a value in JSON text: from `start` (inclusive) to `end` (exclusive). */
export interface Span {
  start: number
  end: number
}

/**
 * Finds a value in JSON text that is known to be valid, by the keys that lead to it. Texts are changed where they stand,
 * and not parsed and written again: numbers beyond what JavaScript can hold, and the order of keys, stay as they came.
 */
export function spanOf(text: string, path: readonly string[], from = 0): Span | undefined {
  let start = skipSpace(text, from)
  for (const key of path) {
    const inner = valueOfKey(text, start, key)
    if (inner === undefined) return undefined
    start = inner
  }
  return { start, end: endOf(text, start) }
}

/** The elements of the list that begins at `start`. */
export function elementsAt(text: string, start: number): Span[] {
  const elements: Span[] = []
  if (text[start] !== '[') return elements
  let at = skipSpace(text, start + 1)
  while (at < text.length && text[at] !== ']') {
    const end = endOf(text, at)
    elements.push({ start: at, end })
    at = skipSpace(text, end)
    if (text[at] === ',') at = skipSpace(text, at + 1)
  }
  return elements
}

/** The text with other texts in place of some spans, which do not overlap. */
export function replaced(text: string, changes: readonly (Span & { by: string })[]): string {
  const parts: string[] = []
  let at = 0
  for (const { start, end, by } of changes.toSorted((a, b) => a.start - b.start)) {
    parts.push(text.slice(at, start), by)
    at = end
  }
  parts.push(text.slice(at))
  return parts.join('')
}

/** The text with one more member at the beginning of the object or list that begins at `start`. */
export function withFirst(text: string, start: number, member: string): string {
  const inside = skipSpace(text, start + 1)
  const isEmpty = text[inside] === '}' || text[inside] === ']'
  return `${text.slice(0, start + 1)}${member}${isEmpty ? '' : ','}${text.slice(start + 1)}`
}

/** The last one counts if a key is there twice, as in `JSON.parse`. */
function valueOfKey(text: string, start: number, key: string): number | undefined {
  if (text[start] !== '{') return undefined
  let found: number | undefined
  let at = skipSpace(text, start + 1)
  while (at < text.length && text[at] !== '}') {
    const keyEnd = endOfString(text, at)
    const name = text.slice(at, keyEnd)
    const value = skipSpace(text, skipSpace(text, keyEnd) + 1)
    if (name === `"${key}"` || (name.includes('\\') && JSON.parse(name) === key)) found = value
    at = skipSpace(text, endOf(text, value))
    if (text[at] === ',') at = skipSpace(text, at + 1)
  }
  return found
}

/** Without recursion: a text may be nested deeper than the stack is. */
function endOf(text: string, start: number): number {
  const first = text[start]
  if (first === '"') return endOfString(text, start)
  if (first !== '{' && first !== '[') {
    let at = start
    while (at < text.length && !/[\s,\]}]/.test(text[at] as string)) at++
    return at
  }
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) at = endOfString(text, at) - 1
    else if (char === OPEN_OBJECT || char === OPEN_LIST) depth++
    else if ((char === CLOSE_OBJECT || char === CLOSE_LIST) && --depth === 0) return at + 1
  }
  return text.length
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === BACKSLASH) at++
    else if (char === QUOTE) return at + 1
  }
  return text.length
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++
  return at
}
