import { DIGITS, digitValue, GAP_MARKS, MARK, NO_WORDS } from './compiled-phrases.ts'
import { type Element, GAPS } from './element.ts'

/** The variants of compiled phrases, found by their anchor word. */
export class Variants {
  /** By variant number. */
  readonly #phrases: number[] = []
  readonly #anchors: number[] = []
  /** Counted from 1; 0 for none. */
  readonly #witnesses: number[] = []
  /** Where the elements of a variant begin. */
  readonly #starts: number[] = []
  /** Elements of all variants, one number each: the word (or the choice, numbered after all words) and its gap mark. */
  readonly #elements: number[] = []
  readonly #choices: number[][] = []
  /** By word number: the variants looked up by that word. */
  readonly #byWord: (number[] | undefined)[]

  /**
   * Reads the variants in one loop without calls, because the text is long and the first failure waits for it.
   * @param text see `CompiledPhrases`
   * @param words the number of words
   */
  constructor(text: string, words: number) {
    this.#byWord = new Array(words).fill(undefined)
    const elements = this.#elements
    let phrase = 0
    let nextWord = NO_WORDS
    /** The element being read: its gap mark, and the words of a choice that is not complete yet. */
    let marked = 0
    let choice: number[] | undefined
    for (let at = 0; at < text.length; ) {
      this.#begin(phrase, digitValue(text.charCodeAt(at)), digitValue(text.charCodeAt(at + 1)))
      at += 2
      let isRead = false
      while (!isRead) {
        const mark = text.charCodeAt(at++)
        let word: number | undefined
        if (mark >= MARK.firstDigit) word = digitValue(mark) * DIGITS + digitValue(text.charCodeAt(at++))
        else if (mark === MARK.nextWord) word = nextWord++
        else if (mark === MARK.choice) choice = []
        else if (mark === MARK.choiceAgain) {
          word = words + digitValue(text.charCodeAt(at)) * DIGITS + digitValue(text.charCodeAt(at + 1))
          at += 2
        } else if (mark === MARK.choiceEnd) {
          word = words + this.#choices.push(choice as number[]) - 1
          choice = undefined
        } else if (mark === MARK.variantEnd || mark === MARK.phraseEnd) {
          isRead = true
          if (mark === MARK.phraseEnd) phrase++
        } else marked = GAP_MARKS.indexOf(String.fromCharCode(mark))
        if (word === undefined) continue
        if (choice) choice.push(word)
        else {
          elements.push(word * GAP_MARKS.length + marked)
          marked = 0
        }
      }
      this.#index()
    }
    this.#starts.push(elements.length)
  }

  /** Whether any variant is looked up by this word. */
  has(word: number): boolean {
    return this.#byWord[word] !== undefined
  }

  /**
   * The variants looked up by a word, as one row of integers, laid out for comparison from that word outward. For each
   * variant: the length of what follows; the phrase; the number of witness words, then those; the number of elements after
   * the word, then those; the number of elements before it, then those, nearest first. An element is its gap, 1 if optional,
   * the number of its words, then those.
   */
  row(word: number): Int32Array {
    const row: number[] = []
    for (const variant of this.#byWord[word] ?? []) {
      const written = this.#elements.slice(this.#starts[variant], this.#starts[variant + 1])
      const elements = written.map(number => this.#element(number))
      const anchor = this.#anchors[variant] as number
      const witnesses = elements[(this.#witnesses[variant] as number) - 1]?.words ?? []
      const behind = elements.slice(anchor + 1).flatMap(element => numbersOf(element, element.gap))
      // A gap is stored with the later of two elements. Going left, it belongs to the element we come from.
      const before = elements
        .slice(0, anchor)
        .map((element, index) => numbersOf(element, (elements[index + 1] as Element).gap))
        .reverse()
      const numbers = [this.#phrases[variant] as number, witnesses.length, ...witnesses]
      numbers.push(elements.length - anchor - 1, ...behind, before.length, ...before.flat())
      row.push(numbers.length, ...numbers)
    }
    return Int32Array.from(row)
  }

  #element(number: number): Element {
    const marked = number % GAP_MARKS.length
    return {
      words: this.#choiceOf(number) ?? [wordOf(number)],
      gap: GAPS[Math.floor(marked / 2)] as number,
      optional: marked % 2 === 1,
    }
  }

  #begin(phrase: number, anchor: number, witness: number): void {
    this.#phrases.push(phrase)
    this.#anchors.push(anchor)
    this.#witnesses.push(witness)
    this.#starts.push(this.#elements.length)
  }

  /** Indexes the last variant by the words of its anchor. */
  #index(): void {
    const variant = this.#phrases.length - 1
    const anchor = (this.#starts[variant] as number) + (this.#anchors[variant] as number)
    const choice = this.#choiceOf(this.#elements[anchor] as number)
    if (choice) for (const word of choice) this.#lookUpBy(word, variant)
    else this.#lookUpBy(wordOf(this.#elements[anchor] as number), variant)
  }

  #lookUpBy(word: number, variant: number): void {
    const others = this.#byWord[word]
    if (others) others.push(variant)
    else this.#byWord[word] = [variant]
  }

  /** Undefined for an element of one word. */
  #choiceOf(element: number): readonly number[] | undefined {
    const choice = wordOf(element) - this.#byWord.length
    return choice < 0 ? undefined : this.#choices[choice]
  }
}

function wordOf(element: number): number {
  return Math.floor(element / GAP_MARKS.length)
}

function numbersOf({ words, optional }: Element, gap: number): number[] {
  return [gap, optional ? 1 : 0, words.length, ...words]
}
