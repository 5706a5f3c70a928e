import { APOSTROPHE, DIGIT, fold, IDEOGRAPH, isLetter, kindOf, LOWER, OTHER, UPPER } from './characters.ts'
import { NUMBER, Tokens, UNKNOWN } from './tokens.ts'

/**
 * The words that phrases are made of, each with a number, so that a text can be compared with thousands of
 * phrases as integers.
 *
 * A word is a run of letters, split where camelCase splits ("RateLimitError" is rate, limit, error), with
 * apostrophes dropped ("isn't" is isnt) and full-width forms folded. A run of digits is a number. A run that
 * mixes both ("011CV2", "E404") is one opaque word: a 429 inside an id is nothing. Each CJK character is a
 * word. Everything else separates words; the end of a sentence or an empty line also breaks phrases.
 */
export class Vocabulary {
  #words: string[] = ['', '#']
  /** Open addressing: a slot holds the number of the word whose hash leads to it, 0 is free. */
  #slots = new Int32Array(1024)

  /** The number of a word in its folded form; a new word gets the next number. */
  intern(word: string): number {
    const known = this.#find(hashOf(word, 0, word.length), word, 0, word.length)
    if (known !== UNKNOWN) return known
    const id = this.#words.push(word) - 1
    if (this.#words.length * 2 > this.#slots.length) this.#resize()
    else this.#place(id)
    return id
  }

  /** Cuts a text into words. Linear in its length. */
  tokenize(text: string): Tokens {
    const tokens = new Tokens(text)
    let broken = 1
    let at = 0
    while (at < text.length) {
      const code = text.charCodeAt(at)
      const kind = kindOf(code)
      if (kind === OTHER || kind === APOSTROPHE) {
        broken |= endsSentence(text, at, code)
        at++
      } else {
        at = this.#readRun(tokens, at, kind, broken)
        broken = 0
      }
    }
    return tokens
  }

  /** Reads the run of letters and digits that starts at `from`, and returns where it ends. */
  #readRun(tokens: Tokens, from: number, first: number, broken: number): number {
    const { text } = tokens
    if (first === IDEOGRAPH) {
      this.#push(tokens, text.charCodeAt(from), from, from + 1, broken)
      return from + 1
    }
    let letters = first !== DIGIT
    let digits = first === DIGIT
    let end = from + 1
    for (; end < text.length; end++) {
      const kind = kindOf(text.charCodeAt(end))
      if (kind === DIGIT) digits = true
      else if (kind === LOWER || kind === UPPER) letters = true
      else if (!(kind === APOSTROPHE && letters && isLetter(text.charCodeAt(end + 1)))) break
    }
    if (!letters) tokens.push(NUMBER, from, end, broken)
    else if (digits) this.#push(tokens, hashOf(text, from, end), from, end, broken)
    else this.#splitCamelCase(tokens, from, end, broken)
    return end
  }

  #splitCamelCase(tokens: Tokens, from: number, end: number, broken: number): void {
    const { text } = tokens
    let start = from
    let hash = 0
    let previous = OTHER
    for (let at = from; at < end; at++) {
      const code = text.charCodeAt(at)
      const kind = kindOf(code)
      if (kind === APOSTROPHE) continue
      if (kind === UPPER && at > start && isHump(text, at, end, previous)) {
        this.#push(tokens, hash, start, at, broken)
        broken = 0
        start = at
        hash = 0
      }
      hash = (Math.imul(hash, 31) + fold(code)) | 0
      previous = kind
    }
    this.#push(tokens, hash, start, end, broken)
  }

  #push(tokens: Tokens, hash: number, start: number, end: number, broken: number): void {
    tokens.push(this.#find(hash, tokens.text, start, end), start, end, broken)
  }

  #find(hash: number, text: string, start: number, end: number): number {
    const mask = this.#slots.length - 1
    for (let slot = spread(hash) & mask; this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      const id = this.#slots[slot] as number
      if (isSameWord(this.#words[id] as string, text, start, end)) return id
    }
    return UNKNOWN
  }

  #place(id: number): void {
    const word = this.#words[id] as string
    const mask = this.#slots.length - 1
    let slot = spread(hashOf(word, 0, word.length)) & mask
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
    this.#slots[slot] = id
  }

  #resize(): void {
    this.#slots = new Int32Array(this.#slots.length * 2)
    for (let id = 2; id < this.#words.length; id++) this.#place(id)
  }
}

function spread(hash: number): number {
  return hash ^ (hash >>> 15)
}

function hashOf(text: string, start: number, end: number): number {
  let hash = 0
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at)
    if (kindOf(code) !== APOSTROPHE) hash = (Math.imul(hash, 31) + fold(code)) | 0
  }
  return hash
}

function isSameWord(word: string, text: string, start: number, end: number): boolean {
  let at = 0
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i)
    if (kindOf(code) === APOSTROPHE) continue
    if (at >= word.length || word.charCodeAt(at) !== fold(code)) return false
    at++
  }
  return at === word.length
}

/** "RateLimit" splits before the L, "APIError" before the E. */
function isHump(text: string, at: number, end: number, previous: number): boolean {
  if (previous === LOWER) return true
  return previous === UPPER && at + 1 < end && kindOf(text.charCodeAt(at + 1)) === LOWER
}

/** A sentence ends at . ! ? ; before a space, and at an empty line. A hard wrap inside it does not end it. */
function endsSentence(text: string, at: number, code: number): number {
  if (code === 46 || code === 33 || code === 63 || code === 59) {
    const next = text.charCodeAt(at + 1)
    return next === 32 || next === 10 || next === 13 || at + 1 === text.length ? 1 : 0
  }
  if (code === 0x3002 || code === 0xff1b) return 1
  return code === 10 && text.charCodeAt(at + 1) === 10 ? 1 : 0
}
