import { APOSTROPHE, DIGIT, IDEOGRAPH, isLetter, KIND, LOWER, UPPER } from './characters.ts'

const MOST_VARIANTS = 64

/** A phrase with a syntax error: a mistake in the catalogue, found by its test. */
export class PhraseError extends Error {
  override name = 'PhraseError'
  constructor(phrase: string, problem: string) {
    super(`phrase ${JSON.stringify(phrase)} ${problem}`)
  }
}

/** One part of a phrase: the choices for it, each of one or more words. */
export interface Part {
  /** What may stand before it: 0 nothing else, 1 a gap, 2 a gap that crosses sentences. */
  gap: number
  choices: string[][]
  optional: boolean
}

const HASH = 35
const OPEN = 40
const CLOSE = 41
const BAR = 124
const ELLIPSIS = 0x2026

/**
 * Parses a phrase. The syntax is made for reading:
 *
 *   `rate limit exceeded`        these words in this order, with no other words between them
 *   `(request|token) limit`      alternatives; one may be empty: `(your|) quota`
 *   `quota … exceeded`           up to 10 other words between, in one sentence
 *   `limit …… reset`             up to 40 other words between, across sentences too
 *   `after # seconds`            `#` is any number
 *   `balance is 0`               this number, which 0.00 is as well, but not 10 or 0.5
 *
 * Words are lower case; punctuation in a phrase is ignored.
 */
export function parsePhrase(source: string): Part[] {
  const parts: Part[] = []
  let gap = 0
  let inside: Part | undefined
  let choice: string[] = []
  const close = () => {
    if (choice.length > 0) inside?.choices.push(choice)
    else if (inside) inside.optional = true
    choice = []
  }
  for (let at = 0; at < source.length; ) {
    const code = source.charCodeAt(at)
    const end = wordEnd(source, at)
    if (code === ELLIPSIS) gap++
    else if (code === OPEN) {
      if (inside) throw new PhraseError(source, 'has an unmatched bracket')
      inside = { gap, choices: [], optional: false }
      parts.push(inside)
      gap = 0
    } else if (code === BAR || code === CLOSE) {
      if (!inside) throw new PhraseError(source, 'has a ) or | outside brackets')
      close()
      if (code === CLOSE) inside = undefined
    } else if (end > at) {
      const word = source.slice(at, end).replaceAll(/['’]/g, '')
      if (inside) choice.push(word)
      else {
        parts.push({ gap, choices: [[word]], optional: false })
        gap = 0
      }
    }
    at = Math.max(end, at + 1)
  }
  if (inside) throw new PhraseError(source, 'has an unmatched bracket')
  return checked(source, parts)
}

/** The end of the word at a position, as the vocabulary splits words; the position itself for punctuation. */
function wordEnd(source: string, from: number): number {
  const kind = KIND[source.charCodeAt(from)]
  if (source.charCodeAt(from) === HASH || kind === IDEOGRAPH) return from + 1
  if (kind !== LOWER && kind !== DIGIT && kind !== UPPER) return from
  let at = from
  for (; at < source.length; at++) {
    const next = KIND[source.charCodeAt(at)]
    if (next === UPPER) throw new PhraseError(source, 'must be in lower case')
    const isApostrophe = next === APOSTROPHE && isLetter(source.charCodeAt(at + 1))
    if (next !== LOWER && next !== DIGIT && !isApostrophe) break
  }
  return at
}

/** A phrase is looked up by a word it cannot lack. */
function checked(source: string, parts: Part[]): Part[] {
  if (parts.every(({ optional }) => optional)) throw new PhraseError(source, 'can be empty')
  const variants = parts.reduce((product, { gap, choices, optional }) => {
    const longer = choices.filter(({ length }) => length > 1).length
    const hasSingle = longer < choices.length
    return product * (longer + (hasSingle ? 1 : 0) + (optional && (gap > 0 || !hasSingle) ? 1 : 0))
  }, 1)
  if (variants > MOST_VARIANTS) throw new PhraseError(source, `has more than ${MOST_VARIANTS} variants`)
  return parts
}
