import {
  APOSTROPHE,
  codeAt,
  DIGIT,
  folded,
  IDEOGRAPH,
  isLetter,
  KIND,
  LOWER,
  OTHER,
  UPPER,
} from './characters.ts'
import { NUMBER, Tokens, UNKNOWN } from './tokens.ts'
import { hashOf, type WordIndex } from './word-index.ts'

/**
 * The words of all phrases, numbered, so a text can be compared with thousands of phrases as integers.
 *
 * A word is a run of letters, split at camelCase ("RateLimitError" is rate, limit, error), with apostrophes dropped ("isn't"
 * is isnt) and full-width forms folded. A run of digits is a number: a specific one that a phrase names, or any. A run of
 * both ("011CV2", "E404") is one opaque word, so a 429 inside an id means nothing. Each CJK character is a word. Everything
 * else separates words; the end of a sentence or an empty line also breaks phrases.
 */
export class Vocabulary {
  readonly #index: WordIndex
  readonly #tokens = new Tokens()

  constructor(index: WordIndex) {
    this.#index = index
  }

  /** Splits a text into words, in linear time. The result is valid until the next call. */
  tokenize(text: string): Tokens {
    const tokens = this.#tokens
    tokens.begin(text)
    const index = this.#index
    const { length } = text
    let broken = 1
    let at = 0
    while (at < length) {
      const code = codeAt(text, at)
      const kind = KIND[code]
      if (kind === OTHER || kind === APOSTROPHE) {
        if (code !== 32) broken |= endsSentence(text, at, code)
        at++
        continue
      }
      // Most words are lower case, perhaps after one capital: they are hashed while their end is found.
      if (kind === LOWER || kind === UPPER) {
        let hash = folded(code)
        let end = at + 1
        let next = end < length ? KIND[codeAt(text, end)] : OTHER
        while (next === LOWER) {
          hash = (Math.imul(hash, 31) + folded(codeAt(text, end))) | 0
          end++
          next = end < length ? KIND[codeAt(text, end)] : OTHER
        }
        if (next === OTHER || next === IDEOGRAPH) {
          tokens.push(index.find(hash, text, at, end), at, end, broken)
          at = end
          broken = 0
          continue
        }
      }
      at = readRun(index, tokens, at, kind as number, broken)
      broken = 0
    }
    return tokens
  }
}

/** Reads a run that contains capitals, digits, apostrophes or ideographs, and returns its end. */
function readRun(index: WordIndex, tokens: Tokens, from: number, first: number, broken: number): number {
  const { text } = tokens
  if (first === IDEOGRAPH) {
    tokens.push(index.find(codeAt(text, from), text, from, from + 1), from, from + 1, broken)
    return from + 1
  }
  let letters = first !== DIGIT
  let digits = first === DIGIT
  let end = from + 1
  for (; end < text.length; end++) {
    const kind = KIND[codeAt(text, end)]
    if (kind === DIGIT) digits = true
    else if (kind === LOWER || kind === UPPER) letters = true
    else if (!(kind === APOSTROPHE && letters && isLetter(text.charCodeAt(end + 1)))) break
  }
  if (!letters) tokens.push(numberAt(index, text, from, end), from, end, broken)
  else if (digits && first === DIGIT && isAmount(text, from, end)) {
    const unit = unitAt(text, from)
    tokens.push(numberAt(index, text, from, unit), from, unit, broken)
    tokens.push(index.find(hashOf(text, unit, end), text, unit, end), unit, end, 0)
  } else if (digits) tokens.push(index.find(hashOf(text, from, end), text, from, end), from, end, broken)
  else splitCamelCase(index, tokens, from, end, broken)
  return end
}

/** The number of a digit run that some phrase names, such as 0; NUMBER for all others. */
function numberAt(index: WordIndex, text: string, from: number, end: number): number {
  const named = index.find(hashOf(text, from, end), text, from, end)
  return named === UNKNOWN || isPartOfNumber(text, from, end) ? NUMBER : named
}

/** True for each part of "1.5", "1,500" and "10.0.0.1"; "0.00" still counts as 0. */
function isPartOfNumber(text: string, from: number, end: number): boolean {
  if (/\d[.,]$/.test(text.slice(Math.max(0, from - 2), from))) return true
  return /^[.,]\d/.test(text.slice(end, end + 2)) && !/^0\.0+(?![\d.])/.test(text.slice(from, end + 12))
}

const UNITS = new Set('ms s sec secs m min mins h hr hrs d kb mb gb kib mib gib k'.split(' '))
const LONGEST_UNIT = 4

/** "30000ms" is a number and a unit, like "30000 ms"; "2fa" and "4f3a" are words. */
function isAmount(text: string, from: number, end: number): boolean {
  const unit = unitAt(text, from)
  return end - unit <= LONGEST_UNIT && UNITS.has(text.slice(unit, end).toLowerCase())
}

function unitAt(text: string, from: number): number {
  let at = from
  while (KIND[text.charCodeAt(at)] === DIGIT) at++
  return at
}

function splitCamelCase(index: WordIndex, tokens: Tokens, from: number, end: number, broken: number): void {
  const { text } = tokens
  let start = from
  let hash = 0
  let previous = OTHER
  for (let at = from; at < end; at++) {
    const code = codeAt(text, at)
    const kind = KIND[code] as number
    if (kind === APOSTROPHE) continue
    if (kind === UPPER && at > start && isHump(text, at, end, previous)) {
      tokens.push(index.find(hash, text, start, at), start, at, broken)
      broken = 0
      start = at
      hash = 0
    }
    hash = (Math.imul(hash, 31) + folded(code)) | 0
    previous = kind
  }
  tokens.push(index.find(hash, text, start, end), start, end, broken)
}

/** "RateLimit" splits before the L, "APIError" before the E. */
function isHump(text: string, at: number, end: number, previous: number): boolean {
  if (previous === LOWER) return true
  return previous === UPPER && at + 1 < end && KIND[codeAt(text, at + 1)] === LOWER
}

/** A sentence ends at . ! ? ; before a space, and at an empty line. A hard wrap does not end it. */
function endsSentence(text: string, at: number, code: number): number {
  if (code === 46 || code === 33 || code === 63 || code === 59) {
    const next = text.charCodeAt(at + 1)
    return next === 32 || next === 10 || next === 13 || at + 1 === text.length ? 1 : 0
  }
  if (code === 0x3002 || code === 0xff1b) return 1
  return code === 10 && text.charCodeAt(at + 1) === 10 ? 1 : 0
}
