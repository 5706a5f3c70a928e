import {
  type CompiledPhrases,
  DIGITS,
  digitValue,
  FIRST_SHORT,
  MARK,
  SHORT_WORDS,
  wordInDigits,
} from './compiled-phrases.ts'
import { NUMBER } from './tokens.ts'

/** Gap sizes by their number: none, within a sentence, and (negative) across sentences. */
const GAPS = [0, 10, -40]

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
 * The word sequences (variants) that phrases stand for. A phrase is read when a word that it is looked up by is met, because the
 * first failure would wait for it.
 */
export class Variants {
  readonly #text: string
  readonly #once: number
  /** Words for numbers: any, and those that a phrase names, which # matches too. */
  readonly #numbers: number[] = [NUMBER]
  /** Where in the text phrases end, and words stand that are used once. */
  readonly #ends: readonly number[]
  readonly #single: readonly number[]
  #brackets: readonly number[] | undefined
  /** Brackets that occur more than once, by number. */
  readonly #again = new Map<number, Part>()

  constructor({ words, phrases, once }: CompiledPhrases) {
    this.#text = phrases
    this.#once = once
    this.#ends = placesOf(written(MARK.phraseEnd), phrases)
    this.#single = placesOf(written(MARK.nextWord), phrases)
    const named = /^ #((?: \d+(?= |$))*)/.exec(words)?.[1]?.split(' ').length ?? 1
    for (let word = NUMBER + 1; word < NUMBER + named; word++) this.#numbers.push(word)
  }

  /** The phrases looked up by a word. */
  #lookedUpBy(word: number): Set<number> {
    const places =
      word >= this.#once
        ? [this.#single[word - this.#once] as number]
        : [word, ...(this.#numbers.includes(word) ? [NUMBER] : [])].flatMap(meant =>
            placesOf((meant < SHORT_WORDS ? SHORT_ANCHOR : '') + wordInDigits(meant), this.#text),
          )
    const found = new Set<number>()
    for (const at of places) if (this.#isAnchor(word, at)) found.add(firstFrom(this.#ends, at))
    return found
  }

  /** Whether a phrase is looked up by the word at a place, which may be the end of one word and the beginning of another. */
  #isAnchor(word: number, at: number): boolean {
    const text = this.#text
    let from = at
    while (isInBrackets(text.charCodeAt(from - 1))) from--
    const before = text.charCodeAt(from - 1)
    if (before === MARK.anchor) return from === at
    if (before !== MARK.choices || text.charCodeAt(from - 2) !== MARK.anchor) return false
    return choicesIn(this.#cursorAt(from)).choices.some(words =>
      this.#meant(Math.max(...words)).includes(word),
    )
  }

  #cursorAt(at: number): Cursor {
    return new Cursor(this.#text, at, this.#once + firstFrom(this.#single, at))
  }

  /** The words that a word stands for: several if it is any number. */
  #meant(word: number): readonly number[] {
    return word === NUMBER ? this.#numbers : [word]
  }

  #bracketsAgain(number: number): Part {
    const known = this.#again.get(number)
    if (known) return known
    this.#brackets ??= placesOf(written(MARK.choices), this.#text)
    const part = choicesIn(this.#cursorAt((this.#brackets[number] as number) + 1))
    this.#again.set(number, part)
    return part
  }

  /** The word or brackets at a cursor, behind the marks before it. */
  #part(cursor: Cursor): Part {
    if (cursor.takes(MARK.choices)) return choicesIn(cursor)
    if (cursor.takes(MARK.choicesAgain)) return this.#bracketsAgain(cursor.number())
    return { choices: [[cursor.word()]], optional: false }
  }

  #variantsOf(phrase: number): Variant[] {
    const cursor = this.#cursorAt(phrase === 0 ? 0 : (this.#ends[phrase - 1] as number) + 1)
    let variants: Variant[] = [{ elements: [], anchor: undefined }]
    let gap = 0
    while (!cursor.takes(MARK.phraseEnd)) {
      if (cursor.takes(MARK.gap)) gap = 1
      else if (cursor.takes(MARK.farGap)) gap = 2
      const isAnchor = cursor.takes(MARK.anchor)
      const { choices, optional } = this.#part(cursor)
      const size = GAPS[gap] as number
      const tails: Variant[] = []
      const singles: number[] = []
      for (const words of choices) {
        if (words.length === 1) {
          singles.push(...this.#meant(words[0] as number))
          continue
        }
        const elements = words.map((word, at) => ({
          words: this.#meant(word),
          gap: at === 0 ? size : 0,
          optional: false,
        }))
        tails.push({ elements, anchor: isAnchor ? elements[words.indexOf(Math.max(...words))] : undefined })
      }
      // A part that may be missing needs variants without it after a gap, or without single words.
      const isSkipped = optional && (gap > 0 || singles.length === 0)
      if (singles.length > 0) {
        const element = { words: singles, gap: size, optional: optional && !isSkipped }
        tails.push({ elements: [element], anchor: isAnchor ? element : undefined })
      }
      if (isSkipped) tails.push({ elements: [], anchor: undefined })
      variants = variants.flatMap(({ elements, anchor }) =>
        tails.map(tail => ({ elements: [...elements, ...tail.elements], anchor: tail.anchor ?? anchor })),
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
    for (const phrase of this.#lookedUpBy(word))
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
    this.takes(MARK.shortAnchor)
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

/** True for what stands in brackets, except what marks that they may be missing: that is last. */
function isInBrackets(code: number): boolean {
  return (
    code >= MARK.firstDigit || code === MARK.nextWord || code === MARK.joined || code === MARK.shortAnchor
  )
}

const written = (mark: number) => String.fromCharCode(mark)
const SHORT_ANCHOR = written(MARK.shortAnchor)

/** Where a mark or a word may stand. */
function placesOf(sought: string, text: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + 1)) places.push(at)
  return places
}

/** How many places lie before another: the index of the first from there on. */
function firstFrom(places: readonly number[], at: number): number {
  let [low, high] = [0, places.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((places[middle] as number) < at) low = middle + 1
    else high = middle
  }
  return low
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
