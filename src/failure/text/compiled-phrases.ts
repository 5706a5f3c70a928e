/**
 * Phrases in the form that a phrase set reads: two strings that compress well, so a build can prepare them and users'
 * bundles stay small. compile-phrases.ts writes them, variants.ts reads the second.
 */
export interface CompiledPhrases {
  /**
   * Every word of the phrases, separated by spaces; a word's position is its number. First the reserved ones and numbers, then the
   * most used; last, in the order of the phrases, those that are used once.
   */
  readonly words: string
  readonly count: number
  /** The first word that is used once. */
  readonly once: number
  /**
   * The phrases, each ended by a full stop, part by part. A high digit is a word, two digits a word with a higher number, `!` the
   * next of those that are used once. Choices stand in brackets: words, `+` between those of one choice, and `-` where the part
   * may be missing; `#` with two digits repeats an earlier pair of brackets. Before a part, `*` is a gap and `%` a gap that crosses
   * sentences, then `'` says that the phrase is looked up by it: by each of its choices, and of a choice of several words by the rarest,
   * which has the highest number. `&` marks such words of one digit, which occur too often to be searched for without it.
   */
  readonly phrases: string
}

/** The marks in {@link CompiledPhrases.phrases}, as character codes. Digits start after them. */
export const MARK = {
  nextWord: 33, // !
  choicesAgain: 35, // #
  farGap: 37, // %
  shortAnchor: 38, // &
  anchor: 39, // '
  choices: 40, // (
  choicesEnd: 41, // )
  gap: 42, // *
  joined: 43, // +
  missing: 45, // -
  phraseEnd: 46, // .
  firstDigit: 48, // 0
} as const

/** The number of digits: ASCII from `0` on, without backslash and backtick, which source code has to escape. */
export const DIGITS = 77

/** So many words are written as one digit, from this one on. */
export const SHORT_WORDS = 50
export const FIRST_SHORT = DIGITS - SHORT_WORDS

/** The digit characters: `0` to `[`, `]` to `_`, then from `a` on. */
export function digit(value: number): string {
  return String.fromCharCode(value + (value < 44 ? 48 : value < 47 ? 49 : 50))
}

/** A word that is used more than once. */
export function wordInDigits(word: number): string {
  return word < SHORT_WORDS ? digit(FIRST_SHORT + word) : twoDigits(word - SHORT_WORDS, FIRST_SHORT)
}

export function twoDigits(number: number, most = DIGITS): string {
  const first = Math.floor(number / DIGITS)
  if (first >= most)
    throw new RangeError(`${number} is too large: at most ${most * DIGITS} words or choices are allowed`)
  return digit(first) + digit(number % DIGITS)
}

export function digitValue(character: number): number {
  return character - (character < 92 ? 48 : character < 96 ? 49 : 50)
}
