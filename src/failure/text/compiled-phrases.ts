/**
 * Phrases in the form that a phrase set reads: two texts that compress well, so that a build can make them beforehand
 * and the bundles of users stay small. write-variants.ts writes the second, variants.ts reads it.
 */
export interface CompiledPhrases {
  /** Every word of the phrases, with a space between them; the place of a word is its number. */
  readonly words: string
  /**
   * The word sequences that the phrases stand for, to be read from start to end; a comma stands behind each, a full stop
   * behind the last of a phrase. Each begins with two digits: the element that it is looked up by, and the one that is
   * its witness (counted from 1, 0 for none). Its elements follow, each behind the mark of its gap if it has one: `!` is
   * the word behind the last that `!` stood for, two digits are the number of any other, several words in brackets are a
   * choice, and `#` with two digits is a choice that was there before.
   */
  readonly variants: string
}

/** Words with these numbers are none, see tokens.ts. */
export const NO_WORDS = 2

/** What marks stand for in {@link CompiledPhrases.variants}, as codes of characters. Digits begin behind them. */
export const MARK = {
  nextWord: 33, // !
  choiceAgain: 35, // #
  choice: 40, // (
  choiceEnd: 41, // )
  variantEnd: 44, // ,
  phraseEnd: 46, // .
  firstDigit: 48, // 0
} as const

/** For each gap, and for each where the element may be missing. The first, which nearly all have, is not written. */
export const GAP_MARKS = '*%&+-/'

/** How many digits there are: ASCII from `0` on but for backslash and backtick, which programs have to escape. */
export const DIGITS = 77

/** From `0` to `[`, from `]` to `_`, from `a` on. */
export function digit(value: number): string {
  return String.fromCharCode(value + (value < 44 ? 48 : value < 47 ? 49 : 50))
}

export function digitValue(character: number): number {
  return character - (character < 92 ? 48 : character < 96 ? 49 : 50)
}
