import { DIGITS, digit, GAP_MARKS, MARK, NO_WORDS } from './compiled-phrases.ts'
import { type Element, GAPS } from './element.ts'

/** One word sequence that a phrase stands for. */
export interface Variant {
  elements: readonly Element[]
  /** The element it is looked up by. */
  anchor: number
  /** The element of which a word must also occur in the text; -1 for none. */
  witness: number
}

/** Writes the variants of phrases in the format of `CompiledPhrases`. */
export function writeVariants(phrases: readonly (readonly Variant[])[]): string {
  const writer = new VariantWriter()
  const end = String.fromCharCode(MARK.variantEnd)
  return phrases
    .map(variants => variants.map(variant => writer.variant(variant)).join(end))
    .map(written => written + String.fromCharCode(MARK.phraseEnd))
    .join('')
}

class VariantWriter {
  #nextWord = NO_WORDS
  readonly #choices = new Map<string, number>()

  variant({ elements, anchor, witness }: Variant): string {
    return digit(anchor) + digit(witness + 1) + elements.map(element => this.#element(element)).join('')
  }

  #element({ words, gap, optional }: Element): string {
    const marked = GAPS.indexOf(gap) * 2 + (optional ? 1 : 0)
    return (marked === 0 ? '' : GAP_MARKS.charAt(marked)) + this.#words(words)
  }

  #words(words: readonly number[]): string {
    if (words.length === 1) return this.#word(words[0] as number)
    const key = words.join(' ')
    const before = this.#choices.get(key)
    if (before !== undefined) return String.fromCharCode(MARK.choiceAgain) + twoDigits(before)
    this.#choices.set(key, this.#choices.size)
    const written = words.map(word => this.#word(word)).join('')
    return String.fromCharCode(MARK.choice) + written + String.fromCharCode(MARK.choiceEnd)
  }

  #word(word: number): string {
    if (word !== this.#nextWord) return twoDigits(word)
    this.#nextWord++
    return String.fromCharCode(MARK.nextWord)
  }
}

function twoDigits(number: number): string {
  if (number >= DIGITS ** 2)
    throw new RangeError(
      `${number} is too large: at most ${DIGITS ** 2} words and as many choices are allowed`,
    )
  return digit(Math.floor(number / DIGITS)) + digit(number % DIGITS)
}
