import { APOSTROPHE, DIGIT, IDEOGRAPH, isLetter, KIND, LOWER, UPPER } from './characters.ts'
import { type Element, FAR, NEAR } from './element.ts'

const MOST_VARIANTS = 64

/** A phrase with a syntax error: a mistake in the catalogue, found by its test. */
export class PhraseError extends Error {
  override name = 'PhraseError'
  constructor(phrase: string, problem: string) {
    super(`phrase ${JSON.stringify(phrase)} ${problem}`)
  }
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
 *
 * @returns the word sequences that the phrase stands for; alternatives of several words get one each
 */
export function parsePhrase(source: string, intern: (word: string) => number): Element[][] {
  return new PhraseParser(source, intern).parse()
}

/** Reads character by character, for speed: compiling the catalogue parses all phrases. */
class PhraseParser {
  readonly source: string
  readonly intern: (word: string) => number
  at = 0
  gap = 0
  variants: Element[][] = [[]]

  constructor(source: string, intern: (word: string) => number) {
    this.source = source
    this.intern = intern
  }

  parse(): Element[][] {
    while (this.at < this.source.length) {
      const code = this.source.charCodeAt(this.at)
      if (code === OPEN) this.readChoices()
      else if (code === ELLIPSIS) this.readGap()
      else if (code === CLOSE || code === BAR)
        throw new PhraseError(this.source, 'has a ) or | outside brackets')
      else {
        const word = this.readWord()
        if (word >= 0) this.append([word], [], false)
      }
    }
    return this.variants.map(variant => checked(this.source, variant))
  }

  readGap(): void {
    const far = this.source.charCodeAt(this.at + 1) === ELLIPSIS
    this.gap = far ? FAR : NEAR
    this.at += far ? 2 : 1
  }

  readChoices(): void {
    const singles: number[] = []
    const longer: number[][] = []
    let optional = false
    let choice: number[] = []
    for (this.at++; ; ) {
      const code = this.source.charCodeAt(this.at)
      if (Number.isNaN(code) || code === OPEN) throw new PhraseError(this.source, 'has an unmatched bracket')
      if (code === BAR || code === CLOSE) {
        if (choice.length === 0) optional = true
        else if (choice.length === 1) singles.push(choice[0] as number)
        else longer.push(choice)
        choice = []
        this.at++
        if (code === CLOSE) break
      } else {
        const word = this.readWord()
        if (word >= 0) choice.push(word)
      }
    }
    this.append(singles, longer, optional)
  }

  /** The number of the word at this position; -1 for punctuation, which is skipped. */
  readWord(): number {
    const { source } = this
    const from = this.at
    const kind = KIND[source.charCodeAt(from)]
    if (kind === UPPER) throw new PhraseError(source, 'must be in lower case')
    this.at++
    if (source.charCodeAt(from) === HASH) return this.intern('#')
    if (kind === IDEOGRAPH) return this.intern(source[from] as string)
    if (kind !== LOWER && kind !== DIGIT) return -1
    let quoted = false
    for (; this.at < source.length; this.at++) {
      const next = KIND[source.charCodeAt(this.at)]
      if (next === APOSTROPHE && isLetter(source.charCodeAt(this.at + 1))) quoted = true
      else if (next === UPPER) throw new PhraseError(source, 'must be in lower case')
      else if (next !== LOWER && next !== DIGIT) break
    }
    const word = source.slice(from, this.at)
    return this.intern(quoted ? word.replaceAll(/['’]/g, '') : word)
  }

  /** Extends each variant by one of the single words, one of the longer choices, or nothing. */
  append(singles: readonly number[], longer: readonly number[][], optional: boolean): void {
    const { gap } = this
    const inline = optional && gap === 0 && singles.length > 0
    const skipping = optional && !inline
    if (longer.length === 0 && !skipping) {
      for (const variant of this.variants) variant.push({ words: singles, gap, optional: inline })
    } else {
      const tails = longer.map(words =>
        words.map((word, i) => ({ words: [word], gap: i === 0 ? gap : 0, optional: false })),
      )
      if (singles.length > 0) tails.push([{ words: [...singles], gap, optional: inline }])
      this.variants = this.variants.flatMap(variant => [
        ...tails.map(tail => [...variant, ...tail]),
        ...(skipping ? [variant] : []),
      ])
    }
    // A gap before a missing element still applies to the next one.
    this.gap = skipping ? gap : 0
    if (this.variants.length > MOST_VARIANTS)
      throw new PhraseError(this.source, `has more than ${MOST_VARIANTS} variants`)
  }
}

/** The first and last elements must be mandatory: a phrase is looked up by a word it cannot lack. */
function checked(source: string, variant: Element[]): Element[] {
  while (variant[0]?.optional) variant.shift()
  while (variant.at(-1)?.optional) variant.pop()
  const [first] = variant
  if (first === undefined) throw new PhraseError(source, 'can be empty')
  if (first.gap !== 0) variant[0] = { ...first, gap: 0 }
  return variant
}
