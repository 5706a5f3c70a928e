/**
 * Phrases in the form that {@link PhraseSet} reads: plain data, so that a build can make it beforehand. All numbers in
 * its texts are written with 36 digits.
 */
export interface CompiledPhrases {
  /** Every word of the phrases; its place is its number. */
  readonly words: readonly string[]
  /** Words that may stand in the same place of a phrase, by their numbers. */
  readonly choices: readonly string[]
  /**
   * At the number of a phrase, the word sequences that it stands for, with a comma between them. Each is: the element
   * that it is looked up by, the one that is its witness (counted from 1, 0 for none), and all elements as
   * {@link elementNumber} writes them.
   */
  readonly variants: readonly string[]
  /** At the number of a word, the phrases that are looked up by it. Empty for most words. */
  readonly byWord: readonly string[]
}

/** What stands in one place of a phrase. */
export interface Element {
  /** Numbers of the words that may stand here. */
  words: readonly number[]
  /** Other words allowed before this one: 0 none, n within the sentence, -n across sentences as well. */
  gap: number
  /** True if it may be missing; never for the first or last element, nor after a gap. */
  optional: boolean
}

/** Gaps of phrases: words within the sentence, words across sentences. */
export const NEAR = 10
export const FAR = -40

/** So that the numbers, of which there are many, are short. */
const DIGITS = 36

export function inDigits(numbers: readonly number[]): string {
  return numbers.map(number => number.toString(DIGITS)).join(' ')
}

export function readNumbers(written: string): number[] {
  return written === '' ? [] : written.split(' ').map(digits => Number.parseInt(digits, DIGITS))
}

/** What may stand before an element: nothing else, a gap, a gap that goes over sentences; each also where it may be missing. */
const GAPS = [0, NEAR, FAR]

/** An element as one number: its word, or its choice behind all words; the gap before it; whether it may be missing. */
export function elementNumber({ gap, optional }: Element, wordOrChoice: number): number {
  return (wordOrChoice * GAPS.length + GAPS.indexOf(gap)) * 2 + (optional ? 1 : 0)
}

/**
 * Variants as numbers in a row, as they are compared with a text, seen from the element that they are looked up by.
 * For each: how many numbers follow; the phrase; how many witnesses it has, and they; how many elements stand behind the
 * anchor, and they; how many stand before it, and they, the nearest first. An element is its gap, 1 if it may be missing,
 * how many words it has, and they.
 */
export function readVariants(
  { words, choices, variants, byWord }: CompiledPhrases,
  word: number,
): Int32Array {
  const row: number[] = []
  for (const phrase of readNumbers(byWord[word] as string)) {
    for (const variant of (variants[phrase] as string).split(',')) {
      const [anchor = 0, witness = 0, ...written] = readNumbers(variant)
      const elements = written.map(number => readElement(number, words.length, choices))
      if (!elements[anchor]?.words.includes(word)) continue
      const numbers = rowOf(phrase, elements, anchor, elements[witness - 1]?.words ?? [])
      row.push(numbers.length, ...numbers)
    }
  }
  return Int32Array.from(row)
}

function readElement(number: number, words: number, choices: readonly string[]): Element {
  const wordOrChoice = Math.floor(number / 2 / GAPS.length)
  return {
    words: wordOrChoice < words ? [wordOrChoice] : readNumbers(choices[wordOrChoice - words] as string),
    gap: GAPS[Math.floor(number / 2) % GAPS.length] as number,
    optional: number % 2 === 1,
  }
}

function rowOf(
  phrase: number,
  elements: readonly Element[],
  anchor: number,
  witnesses: readonly number[],
): number[] {
  const behind = elements.slice(anchor + 1).map(element => elementRow(element, element.gap))
  // The gap stands with the later of two elements: going left, with the one that it is reached from.
  const before = elements
    .slice(0, anchor)
    .map((element, index) => elementRow(element, (elements[index + 1] as Element).gap))
    .reverse()
  return [
    phrase,
    witnesses.length,
    ...witnesses,
    behind.length,
    ...behind.flat(),
    before.length,
    ...before.flat(),
  ]
}

function elementRow({ words, optional }: Element, gap: number): number[] {
  return [gap, optional ? 1 : 0, words.length, ...words]
}
