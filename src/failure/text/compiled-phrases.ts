/**
 * Phrases in the form that a phrase set reads: two strings that compress well, so a build can prepare them and users'
 * bundles stay small. write-variants.ts writes the second, variants.ts reads it.
 */
export interface CompiledPhrases {
  /** Every word of the phrases, separated by spaces; a word's position is its number. */
  readonly words: string
  /**
   * The word sequences (variants) that the phrases stand for, read from start to end. A comma ends a variant, a full stop
   * the last variant of a phrase. Each begins with two digits: the anchor element it is looked up by, and its witness
   * element (counted from 1, 0 for none). Then come its elements, each preceded by its gap mark if it has one. `!` is the
   * word after the one the last `!` stood for, two digits are the number of any other word, several words in brackets are a
   * choice, and `#` with two digits repeats an earlier choice.
   */
  readonly variants: string
}

/** The first two word numbers are reserved (see tokens.ts). */
export const NO_WORDS = 2

/** The marks in {@link CompiledPhrases.variants}, as character codes. Digits start after them. */
export const MARK = {
  nextWord: 33, // !
  choiceAgain: 35, // #
  choice: 40, // (
  choiceEnd: 41, // )
  variantEnd: 44, // ,
  phraseEnd: 46, // .
  firstDigit: 48, // 0
} as const

/** One mark per gap, then one per gap with an optional element. The first, which nearly all elements have, is not written. */
export const GAP_MARKS = '*%&+-/'

/** The number of digits: ASCII from `0` on, without backslash and backtick, which source code has to escape. */
export const DIGITS = 77

/** The digit characters: `0` to `[`, `]` to `_`, then from `a` on. */
export function digit(value: number): string {
  return String.fromCharCode(value + (value < 44 ? 48 : value < 47 ? 49 : 50))
}

export function digitValue(character: number): number {
  return character - (character < 92 ? 48 : character < 96 ? 49 : 50)
}
