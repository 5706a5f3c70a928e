import { parse } from 'smol-toml'
import { type Position, PositionNode } from './position.ts'

/**
 * Finds the position of every key and element of a TOML document, which the parser does not report. The text must be valid TOML:
 * this reads only enough to tell keys, strings, arrays and tables apart.
 */
export function scanPositions(text: string): PositionNode {
  return new Scanner(text).document()
}

const SPACE = /[ \t]*/y
const BLANK = /(?:[ \t\r\n]+|#[^\n]*)*/y
const BARE_KEY = /[\w-]+/y
/** Numbers, dates and booleans end at the first character that cannot belong to them; a date may contain a space. */
const BARE_VALUE = /[^,\]}#\r\n]*/y
/** Strings by their opening quotes. A multi-line string may itself end in up to two quotes. */
const STRINGS: readonly (readonly [string, RegExp])[] = [
  ['"""', /"""(?:[^"\\]|\\[\s\S]|"{1,2}(?!"))*"{3,5}/y],
  ["'''", /'''(?:[^']|'{1,2}(?!'))*'{3,5}/y],
  ['"', /"(?:[^"\\\n]|\\.)*"/y],
  ["'", /'[^'\n]*'/y],
]

interface KeyPart {
  name: string
  place: Position
}

class Scanner {
  readonly #text: string
  readonly #root = new PositionNode({ line: 1, column: 1 })
  #at = 0
  #line = 1
  #lineStart = 0
  #counted = 0

  constructor(text: string) {
    this.#text = text
    // A byte order mark is not part of the first line.
    if (text.startsWith('\uFEFF')) {
      this.#at = 1
      this.#lineStart = 1
    }
  }

  document(): PositionNode {
    let table = this.#root
    this.#take(BLANK)
    while (this.#at < this.#text.length) {
      if (this.#text[this.#at] === '[') table = this.#header()
      else this.#pair(table)
      this.#take(BLANK)
    }
    return this.#root
  }

  /** `[a.b]` or `[[a.b]]`: returns the table that the keys below it belong to. */
  #header(): PositionNode {
    const place = this.#place()
    const isElement = this.#text.startsWith('[[', this.#at)
    this.#at += isElement ? 2 : 1
    const parts = this.#key()
    this.#at += isElement ? 2 : 1
    const last = parts.pop() as KeyPart
    const parent = parts.reduce((node, { name }) => newest(node.child(name, place)), this.#root)
    const node = parent.child(last.name, place)
    return isElement ? node.child(node.children.size, place) : newest(node)
  }

  /** `a.b = value` */
  #pair(table: PositionNode): void {
    const node = this.#key().reduce((parent, { name, place }) => newest(parent).child(name, place), table)
    this.#at += 1
    this.#take(SPACE)
    this.#value(node)
  }

  /** A dotted key and the space after it. */
  #key(): KeyPart[] {
    const parts: KeyPart[] = []
    do {
      if (parts.length > 0) this.#at += 1
      this.#take(SPACE)
      const place = this.#place()
      const bare = this.#take(BARE_KEY)
      parts.push({ name: bare === '' ? unquoted(this.#string()) : bare, place })
      this.#take(SPACE)
    } while (this.#text[this.#at] === '.')
    return parts
  }

  #value(node: PositionNode): void {
    const first = this.#text[this.#at]
    if (first === '[') this.#array(node)
    else if (first === '{') this.#inlineTable(node)
    else if (first === '"' || first === "'") this.#string()
    else this.#take(BARE_VALUE)
  }

  #array(node: PositionNode): void {
    this.#at += 1
    for (;;) {
      this.#take(BLANK)
      if (this.#ends(']')) return
      this.#value(node.child(node.children.size, this.#place()))
      this.#take(BLANK)
      if (this.#text[this.#at] === ',') this.#at += 1
    }
  }

  #inlineTable(node: PositionNode): void {
    this.#at += 1
    for (;;) {
      this.#take(BLANK)
      if (this.#ends('}')) return
      this.#pair(node)
      this.#take(BLANK)
      if (this.#text[this.#at] === ',') this.#at += 1
    }
  }

  #string(): string {
    const form = STRINGS.find(([quotes]) => this.#text.startsWith(quotes, this.#at))
    return form ? this.#take(form[1]) : ''
  }

  /** True at the closing bracket, which is consumed, and at the end of the text, so nothing loops forever. */
  #ends(bracket: string): boolean {
    if (this.#at < this.#text.length && this.#text[this.#at] !== bracket) return false
    this.#at += 1
    return true
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0] ?? ''
    this.#at += found.length
    return found
  }

  /** Counts lines onward from the last position asked for. */
  #place(): Position {
    for (;;) {
      const end = this.#text.indexOf('\n', this.#counted)
      if (end < 0 || end >= this.#at) break
      this.#line += 1
      this.#lineStart = end + 1
      this.#counted = end + 1
    }
    return { line: this.#line, column: this.#at - this.#lineStart + 1 }
  }
}

/** Below an array of tables, a name means its newest element. */
function newest(node: PositionNode): PositionNode {
  return node.children.get(node.children.size - 1) ?? node
}

/** Lets the parser decode the escapes of a quoted key. */
function unquoted(key: string): string {
  return parse(`key = ${key}`).key as string
}
