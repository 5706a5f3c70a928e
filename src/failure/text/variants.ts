import {
  type CompiledPhrases,
  DIGITS,
  digit,
  digitValue,
  FIRST_SHORT,
  MARK,
  SHORT_WORDS,
} from './compiled-phrases.ts'
import { NUMBER } from './tokens.ts'

/** Gap sizes by their number: none, within a sentence, and (negative) across sentences. */
const GAPS = [0, 10, -40]

const FIRST_SHORT_MARK = digit(FIRST_SHORT).charCodeAt(0)

/** Longer lists of witnesses cost more than they save. */
const MOST_WITNESSES = 32

/** One position in a variant. */
interface Element {
  /** Numbers of the words allowed here. */
  readonly words: readonly number[]
  /** How many other words may come before: 0 none, n within the sentence, -n also across sentences. */
  gap: number
  /** True if the element may be missing. Never for the first or last element, nor after a gap. */
  readonly optional: boolean
}

/** One word sequence that a phrase stands for, and the element that it is looked up by. */
interface Variant {
  readonly elements: readonly Element[]
  readonly anchor: Element | undefined
}

/** What stands in a pair of brackets, or a single word. */
interface Part {
  readonly choices: readonly (readonly number[])[]
  readonly optional: boolean
}

/**
 * The word sequences (variants) that phrases stand for. Only where each phrase begins, and the words it is looked up by, are read
 * at once, because the first failure waits for it; the rest when such a word is met.
 */
export class Variants {
  readonly #text: string
  readonly #once: number
  /** Words for numbers: any, and those that a phrase names, which # matches too. */
  readonly #numbers: number[] = [NUMBER]
  /** By phrase, then by pair of brackets: where it begins, and the next word that is used once. */
  readonly #phrases: number[] = []
  readonly #brackets: number[] = []
  /** By word number: the phrases looked up by that word. */
  readonly #byWord: (number[] | undefined)[]

  constructor({ words, count, phrases, once }: CompiledPhrases) {
    this.#text = phrases
    this.#once = once
    this.#byWord = new Array(count).fill(undefined)
    const named = /^ #((?: \d+(?= |$))*)/.exec(words)?.[1]?.split(' ').length ?? 1
    for (let word = NUMBER + 1; word < NUMBER + named; word++) this.#numbers.push(word)
    this.#scan()
  }

  /** Finds where phrases and brackets begin. Reads only the numbers of words that a phrase is looked up by. */
  #scan(): void {
    const text = this.#text
    const { length } = text
    let next = this.#once
    let phrase = 0
    /** Whether a part that the phrase is looked up by is being read, and whether it is in brackets. */
    let isAnchor = false
    let isInside = false
    let before = 0
    let rarest = 0
    this.#phrases.push(0, next)
    for (let at = 0; at < length; ) {
      const mark = text.charCodeAt(at++)
      if (mark >= MARK.firstDigit || mark === MARK.nextWord) {
        let word = next
        if (mark === MARK.nextWord) next++
        else {
          const isShort = mark >= FIRST_SHORT_MARK
          if (isAnchor) {
            const first = digitValue(mark)
            word = isShort
              ? first - FIRST_SHORT
              : first * DIGITS + digitValue(text.charCodeAt(at)) + SHORT_WORDS
          }
          if (!isShort) at++
        }
        if (isAnchor) {
          // Of a choice of several words, the rarest: it has the highest number.
          rarest = before === MARK.joined ? Math.max(rarest, word) : word
          if (text.charCodeAt(at) !== MARK.joined) this.#lookUpBy(rarest, phrase)
          isAnchor = isInside
        }
      } else if (mark === MARK.anchor) isAnchor = true
      else if (mark === MARK.phraseEnd) {
        this.#phrases.push(at, next)
        phrase++
      } else if (mark === MARK.choices) {
        isInside = true
        this.#brackets.push(at, next)
      } else if (mark === MARK.choicesEnd) {
        isInside = false
        isAnchor = false
      } else if (mark === MARK.choicesAgain) {
        if (isAnchor) {
          const number = digitValue(text.charCodeAt(at)) * DIGITS + digitValue(text.charCodeAt(at + 1))
          for (const choice of this.#bracketsAt(number).choices) this.#lookUpBy(Math.max(...choice), phrase)
          isAnchor = false
        }
        at += 2
      }
      before = mark
    }
  }

  #lookUpBy(rarest: number, phrase: number): void {
    if (rarest === NUMBER) for (const word of this.#numbers.slice(1)) this.#lookUpBy(word, phrase)
    const others = this.#byWord[rarest]
    if (!others) this.#byWord[rarest] = [phrase]
    else if (others[others.length - 1] !== phrase) others.push(phrase)
  }

  /** The words that a word stands for: several if it is any number. */
  #meant(word: number): readonly number[] {
    return word === NUMBER ? this.#numbers : [word]
  }

  #bracketsAt(number: number): Part {
    const [at, next] = [this.#brackets[number * 2] as number, this.#brackets[number * 2 + 1] as number]
    return choicesIn(new Cursor(this.#text, at, next))
  }

  /** The word or brackets at a cursor, behind the marks before it. */
  #part(cursor: Cursor): Part {
    if (cursor.takes(MARK.choices)) return choicesIn(cursor)
    if (cursor.takes(MARK.choicesAgain)) return this.#bracketsAt(cursor.number())
    return { choices: [[cursor.word()]], optional: false }
  }

  #variantsOf(phrase: number): Variant[] {
    const cursor = new Cursor(
      this.#text,
      this.#phrases[phrase * 2] as number,
      this.#phrases[phrase * 2 + 1] as number,
    )
    let variants: Variant[] = [{ elements: [], anchor: undefined }]
    let gap = 0
    while (!cursor.takes(MARK.phraseEnd)) {
      if (cursor.takes(MARK.gap)) gap = 1
      else if (cursor.takes(MARK.farGap)) gap = 2
      const isAnchor = cursor.takes(MARK.anchor)
      const { choices, optional } = this.#part(cursor)
      const singles = choices.flatMap(choice => (choice.length === 1 ? this.#meant(choice[0] as number) : []))
      // A part that may be missing needs variants without it after a gap, or without single words.
      const isSkipped = optional && (gap > 0 || singles.length === 0)
      const size = GAPS[gap] as number
      const tails = choices
        .filter(({ length }) => length > 1)
        .map(choice =>
          choice.map((word, at) => ({ words: this.#meant(word), gap: at === 0 ? size : 0, optional: false })),
        )
      if (singles.length > 0) tails.push([{ words: singles, gap: size, optional: optional && !isSkipped }])
      if (isSkipped) tails.push([])
      variants = variants.flatMap(({ elements, anchor }) =>
        tails.map(tail => ({ elements: [...elements, ...tail], anchor: isAnchor ? rarestOf(tail) : anchor })),
      )
      // A gap before a missing part still applies to the next one.
      if (!isSkipped) gap = 0
    }
    return variants
  }

  /**
   * The variants looked up by a word, as one row of integers, laid out for comparison from that word outward. For each
   * variant: the length of what follows; the phrase; the number of witness words, of which one must occur in the text too, then
   * those; the number of elements after the word, then those; the number of elements before it, then those, nearest first. An
   * element is its gap, 1 if optional, the number of its words, then those.
   */
  row(word: number): Int32Array {
    const row: number[] = []
    for (const phrase of this.#byWord[word] ?? [])
      for (const { elements, anchor } of this.#variantsOf(phrase)) {
        if (!anchor?.words.includes(word)) continue
        const numbers = [phrase, ...rowOf(trimmed(elements), anchor)]
        row.push(numbers.length, ...numbers)
      }
    return Int32Array.from(row)
  }
}

/** Reads the text of compiled phrases. */
class Cursor {
  readonly #text: string
  #at: number
  #next: number

  constructor(text: string, at: number, next: number) {
    this.#text = text
    this.#at = at
    this.#next = next
  }

  takes(mark: number): boolean {
    if (this.#text.charCodeAt(this.#at) !== mark) return false
    this.#at++
    return true
  }

  word(): number {
    if (this.takes(MARK.nextWord)) return this.#next++
    const first = digitValue(this.#text.charCodeAt(this.#at))
    if (first < FIRST_SHORT) return this.number() + SHORT_WORDS
    this.#at++
    return first - FIRST_SHORT
  }

  number(): number {
    const first = digitValue(this.#text.charCodeAt(this.#at++))
    return first * DIGITS + digitValue(this.#text.charCodeAt(this.#at++))
  }
}

/** The choices behind an opening bracket. */
function choicesIn(cursor: Cursor): Part {
  const choices: number[][] = []
  let optional = false
  while (!cursor.takes(MARK.choicesEnd)) {
    if (cursor.takes(MARK.missing)) optional = true
    else if (cursor.takes(MARK.joined)) choices.at(-1)?.push(cursor.word())
    else choices.push([cursor.word()])
  }
  return { choices, optional }
}

/** The element of a choice of several words that it is looked up by. */
function rarestOf(tail: readonly Element[]): Element | undefined {
  const last = ({ words }: Element) => Math.max(...words)
  return tail.length < 2 ? tail[0] : tail.reduce((best, other) => (last(other) > last(best) ? other : best))
}

/** Without optional elements at its ends. */
function trimmed(elements: readonly Element[]): readonly Element[] {
  const from = elements.findIndex(({ optional }) => !optional)
  return elements.slice(from, elements.findLastIndex(({ optional }) => !optional) + 1)
}

/** The witnesses, and what stands behind and before the anchor. */
function rowOf(elements: readonly Element[], anchor: Element): number[] {
  const place = elements.indexOf(anchor)
  const others = elements.filter(({ optional }, index) => !optional && index !== place)
  const rarest = others.toSorted((a, b) => shareOf(a) - shareOf(b))[0]?.words ?? []
  const witnesses = rarest.length > MOST_WITNESSES ? [] : rarest
  const behind = elements.slice(place + 1).flatMap(element => numbersOf(element, element.gap))
  // A gap is stored with the later of two elements. Going left, it belongs to the element we come from.
  const before = elements
    .slice(0, place)
    .map((element, index) => numbersOf(element, (elements[index + 1] as Element).gap))
    .toReversed()
  return [
    witnesses.length,
    ...witnesses,
    elements.length - place - 1,
    ...behind,
    before.length,
    ...before.flat(),
  ]
}

function numbersOf({ words, optional }: Element, gap: number): number[] {
  return [gap, optional ? 1 : 0, words.length, ...words]
}

/** How common an element is, roughly: the most used words have the lowest numbers. */
function shareOf({ words }: Element): number {
  return words.reduce((sum, word) => sum + 1 / word, 0)
}
