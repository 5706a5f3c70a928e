/** A value in JSON with comments, and its position: from `start` (inclusive) to `end` (exclusive). */
export type JsoncNode =
  | { kind: 'object'; start: number; end: number; members: JsoncMember[] }
  | { kind: 'list'; start: number; end: number; items: JsoncItem[] }
  | { kind: 'scalar'; start: number; end: number; value: unknown }

/** A key and its value. */
export interface JsoncMember {
  key: string
  /** Start of the key. */
  start: number
  value: JsoncNode
  /** Position of the comma after it, if any. */
  comma?: number
}

/** An item of a list. */
export interface JsoncItem {
  value: JsoncNode
  /** Position of the comma after it, if any. */
  comma?: number
}

/** A text is not valid JSON with comments; `offset` says where. */
export class JsoncError extends Error {
  override name = 'JsoncError'
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

/** The deepest nesting that is read. */
const DEEPEST = 100

/** Reads JSON with comments and trailing commas. Throws a {@link JsoncError}. */
export function parseJsonc(text: string): JsoncNode {
  const reader = new Reader(text)
  const node = reader.value(0)
  reader.end()
  return node
}

/** The value of a node. */
export function valueOfNode(node: JsoncNode): unknown {
  switch (node.kind) {
    case 'scalar':
      return node.value
    case 'list':
      return node.items.map(({ value }) => valueOfNode(value))
    case 'object':
      return Object.fromEntries(node.members.map(({ key, value }) => [key, valueOfNode(value)]))
  }
}

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
    // A byte order mark is not part of the JSON.
    if (text.charCodeAt(0) === 0xfeff) this.#at = 1
  }

  end(): void {
    this.#skip()
    if (this.#at < this.#text.length) throw this.#error('unexpected text behind the end')
  }

  value(depth: number): JsoncNode {
    this.#skip()
    if (depth > DEEPEST) throw this.#error('nested too deep')
    const char = this.#text[this.#at]
    if (char === '{') return this.#object(depth)
    if (char === '[') return this.#list(depth)
    return this.#scalar()
  }

  #object(depth: number): JsoncNode {
    const start = this.#at++
    const members: JsoncMember[] = []
    for (;;) {
      this.#skip()
      if (this.#text[this.#at] === '}') return { kind: 'object', start, end: ++this.#at, members }
      const last = members.at(-1)
      if (last && last.comma === undefined) throw this.#error('expected a comma or }')
      const keyStart = this.#at
      if (this.#text[this.#at] !== '"') throw this.#error('expected a key in double quotes')
      const key = this.#scalar()
      this.#skip()
      if (this.#text[this.#at] !== ':') throw this.#error('expected a colon')
      this.#at += 1
      const value = this.value(depth + 1)
      const name = String((key as { value: unknown }).value)
      members.push({ key: name, start: keyStart, value, ...this.#comma() })
    }
  }

  #list(depth: number): JsoncNode {
    const start = this.#at++
    const items: JsoncItem[] = []
    for (;;) {
      this.#skip()
      if (this.#text[this.#at] === ']') return { kind: 'list', start, end: ++this.#at, items }
      const last = items.at(-1)
      if (last && last.comma === undefined) throw this.#error('expected a comma or ]')
      const value = this.value(depth + 1)
      items.push({ value, ...this.#comma() })
    }
  }

  #comma(): { comma?: number } {
    this.#skip()
    return this.#text[this.#at] === ',' ? { comma: this.#at++ } : {}
  }

  #scalar(): JsoncNode {
    const start = this.#at
    const found = SCALAR.exec(this.#text.slice(start, start + LONGEST_SCALAR))?.[0]
    if (found === undefined) throw this.#error('expected a value')
    try {
      const value: unknown = JSON.parse(found)
      this.#at += found.length
      return { kind: 'scalar', start, end: this.#at, value }
    } catch {
      throw this.#error('expected a value')
    }
  }

  #skip(): void {
    SPACE.lastIndex = this.#at
    this.#at += SPACE.exec(this.#text)?.[0].length ?? 0
  }

  #error(message: string): JsoncError {
    return new JsoncError(message, this.#at)
  }
}

/** Config files have no longer values. */
const LONGEST_SCALAR = 1_000_000
const SCALAR = /^(?:"(?:[^"\\\n]|\\.)*"|-?\d[\d.eE+-]*|true|false|null)/
const SPACE = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y
