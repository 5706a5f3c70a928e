import { codeAt } from '../text/characters.ts'
/** A value after its name. */
export interface Value {
  start: number
  end: number
  /** Without its quotes. */
  text: string
  isQuoted: boolean
  /** True if it was already redacted. */
  isHidden: boolean
}

const OPENING = /(?:\[\s{0,2})?(\\{0,8})(["'`])/y
/** Opening quotes of other languages: the value behind one ends like a bare one. */
const FOREIGN_OPENING = /[「『“«]/
/** No value is longer; more would hide text for nothing. */
const LONGEST = 32_768

/** Reads the values in a text. One instance per text: it caches where the last value ended. */
export class Values {
  readonly text: string
  #bare = { from: 0, end: 0, isQuery: false }

  constructor(text: string) {
    this.text = text
  }

  /** The value at a position: up to its closing quote, or up to what ends an unquoted value. */
  at(at: number, isQuery: boolean): Value | undefined {
    const { text } = this
    OPENING.lastIndex = at
    const opening = OPENING.exec(text)
    if (!opening) {
      const from = text.charCodeAt(at) > 127 && FOREIGN_OPENING.test(text[at] as string) ? at + 1 : at
      return made(text, from, this.#endOfBare(from, isQuery), false)
    }
    const start = at + opening[0].length
    const end = closingOf(text, start, opening[1] as string, opening[2] as string)
    return made(text, start, end, true)
  }

  /** A value that begins inside the last one ends with it, so `key=key=key=` is not read over and over. */
  #endOfBare(at: number, isQuery: boolean): number {
    const { from, end, isQuery: was } = this.#bare
    if (was === isQuery && at > from && at < end) return end
    this.#bare = { from: at, end: endOfBare(this.text, at, isQuery), isQuery }
    return this.#bare.end
  }
}

function made(text: string, start: number, end: number, isQuoted: boolean): Value | undefined {
  if (end <= start) return undefined
  const value = text.slice(start, end)
  return { start, end, text: value, isQuoted, isHidden: /^\*{3,}(?:REDACTED\*{3,})?$/.test(value) }
}

/** Where the quote is closed, at the same escape level as the opening one; else the end of the line. */
function closingOf(text: string, start: number, escaped: string, quote: string): number {
  const most = Math.min(text.length, start + LONGEST)
  let slashes = 0
  for (let at = start; at < most; at++) {
    const char = text[at]
    if (char === '\n') return at
    if (char === quote && slashes <= escaped.length) return at - slashes
    slashes = char === '\\' ? slashes + 1 : 0
  }
  return most
}

/** Where an unquoted value ends. */
function endOfBare(text: string, start: number, isQuery: boolean): number {
  const most = Math.min(text.length, start + LONGEST)
  let at = start
  for (; at < most; at++) {
    const code = codeAt(text, at)
    // Whitespace, " ' , ; < > \ and `.
    if (code <= 32 || code === 34 || code === 39 || code === 44 || code === 59 || code === 60) break
    if (code === 62 || code === 92 || code === 96) break
    // Closing quotes of other languages.
    if (code > 127 && /[」』”»]/.test(text[at] as string)) break
    if (code === 38 && (isQuery || /^&[\w.%-]{1,40}=/.test(text.slice(at, at + 43)))) break
    if (code === 35 && isQuery) break
  }
  // A bracket at the end closes one before the name.
  while (at > start && /[)\]}]/.test(text[at - 1] as string)) at--
  return at
}
