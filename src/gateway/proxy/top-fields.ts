/** Where a value stands in a body: its first byte, and the one behind its last. */
export type Span = readonly [start: number, end: number]

/** Some fields of a JSON object. */
export interface TopFields {
  /** Their values, as `JSON.parse` gives them. */
  values: Readonly<Record<string, unknown>>
  /** Where each stands; a field that is there twice has two, and the last counts. */
  spans: Readonly<Record<string, readonly Span[]>>
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN = 0x7b
const CLOSE = 0x7d
const COLON = 0x3a
const COMMA = 0x2c
/** So many bytes of a text are read one by one before the next quote is searched for. */
const STEP = 128

/**
 * Reads some fields of a JSON object, and passes over all others: a proxy needs a few words of a question, and where they stand, so
 * that all other bytes stay as they are. Undefined if the body is no whole object.
 */
export function topFieldsOf(body: Buffer, names: ReadonlySet<string>): TopFields | undefined {
  try {
    return read(body, names)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function read(body: Buffer, names: ReadonlySet<string>): TopFields | undefined {
  const values: Record<string, unknown> = Object.create(null)
  const spans: Record<string, Span[]> = Object.create(null)
  let at = afterSpace(body, 0)
  if (body[at] !== OPEN) return undefined
  at = afterSpace(body, at + 1)
  const isEmpty = body[at] === CLOSE
  while (!isEmpty) {
    if (body[at] !== QUOTE) return undefined
    const keyEnd = afterText(body, at)
    const name = nameIn(body, at, keyEnd)
    at = afterSpace(body, keyEnd)
    if (body[at] !== COLON) return undefined
    const start = afterSpace(body, at + 1)
    const end = afterValue(body, start)
    if (names.has(name)) {
      values[name] = JSON.parse(body.toString('utf8', start, end))
      spans[name] = [...(spans[name] ?? []), [start, end]]
    }
    at = afterSpace(body, end)
    if (body[at] === CLOSE) break
    if (body[at] !== COMMA) return undefined
    at = afterSpace(body, at + 1)
  }
  return afterSpace(body, at + 1) === body.length ? { values, spans } : undefined
}

function nameIn(body: Buffer, start: number, end: number): string {
  const inside = body.toString('latin1', start + 1, end - 1)
  return inside.includes('\\') ? String(JSON.parse(body.toString('utf8', start, end))) : inside
}

function afterSpace(body: Buffer, from: number): number {
  let at = from
  while (body[at] === 0x20 || body[at] === 0x0a || body[at] === 0x0d || body[at] === 0x09) at++
  return at
}

function afterText(body: Buffer, quote: number): number {
  let at = quote + 1
  while (at < body.length) {
    // Texts with many quotes take as long to jump through as to parse; plain ones are long.
    const near = Math.min(at + STEP, body.length)
    for (; at < near; at++) {
      const byte = body[at]
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) return at + 1
    }
    const end = body.indexOf(QUOTE, at)
    if (end < 0) break
    let before = end - 1
    while (before >= at && body[before] === BACKSLASH) before--
    // A quote behind an odd number of backslashes is a part of the text.
    if ((end - before) % 2 === 1) return end + 1
    at = end + 1
  }
  throw new SyntaxError('a text does not end')
}

function afterValue(body: Buffer, start: number): number {
  const first = body[start]
  if (first === QUOTE) return afterText(body, start)
  let at = start
  if (first !== OPEN && first !== OPEN_LIST) {
    for (; at < body.length; at++) {
      const byte = body[at] as number
      if (byte <= 0x20 || byte === COMMA || byte === CLOSE) break
    }
    if (at === start) throw new SyntaxError('a value is missing')
    return at
  }
  let depth = 0
  while (at < body.length) {
    const byte = body[at]
    if (byte === QUOTE) {
      at = afterText(body, at)
      continue
    }
    at++
    if (byte === OPEN || byte === OPEN_LIST) depth++
    else if ((byte === CLOSE || byte === CLOSE_LIST) && --depth === 0) return at
  }
  throw new SyntaxError('a value does not end')
}
