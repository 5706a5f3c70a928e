import { type Element, parsePhrase } from './phrase.ts'
import { NUMBER, UNKNOWN } from './tokens.ts'
import { hashOf } from './word-index.ts'

/** Phrases in the form that {@link PhraseSet} reads: plain data, so that a build can make it beforehand. */
export interface CompiledPhrases {
  /** Every word of the phrases; its place is its number. */
  readonly words: readonly string[]
  /** The hash of each word, as texts are searched by. */
  readonly hashes: readonly number[]
  /**
   * At the number of a word, what is looked up by it: variants of phrases, as numbers in a row (see
   * {@link writeVariant}), written as text because few of them are ever needed. Empty for most words.
   */
  readonly variants: readonly string[]
}

export function compilePhrases(phrases: readonly string[]): CompiledPhrases {
  const numbers = new Map([
    ['', UNKNOWN],
    ['#', NUMBER],
  ])
  const intern = (word: string) => {
    const number = numbers.get(word) ?? numbers.size
    numbers.set(word, number)
    return number
  }
  const written = phrases.flatMap((source, phrase) =>
    parsePhrase(source, intern).map(elements => ({ phrase, elements })),
  )
  // Numbers that some phrase names are known by their own; # stands for them, too.
  const named = Array.from(numbers)
    .filter(([word]) => /^\d+$/.test(word))
    .map(([, number]) => number)
  const parsed = written.map(({ phrase, elements }) => ({
    phrase,
    elements: elements.map(element =>
      element.words.includes(NUMBER) ? { ...element, words: [...element.words, ...named] } : element,
    ),
  }))
  const uses = Array.from(numbers.keys(), word => COMMON.get(word) ?? 0)
  for (const { elements } of parsed)
    for (const { words } of elements) for (const word of words) uses[word] = (uses[word] as number) + 1
  const variants = Array.from(numbers, (): number[] => [])
  for (const { phrase, elements } of parsed) {
    const anchor = rarest(elements, uses)
    const numbers = writeVariant(phrase, elements, anchor, witnesses(elements, anchor, uses))
    for (const word of (elements[anchor] as Element).words) variants[word]?.push(...numbers)
  }
  const words = [...numbers.keys()]
  return {
    words,
    hashes: words.map(word => hashOf(word, 0, word.length)),
    variants: variants.map(numbers => numbers.join(' ')),
  }
}

/** Words that stand in most texts, as if so many more phrases used them: what is looked up by them is looked up in vain. */
const COMMON: ReadonlyMap<string, number> = new Map([
  ['#', 400],
  ...`message type code status name body content error errors request for or this please have a an is are was the to of in on
    at by not no and with your you from it json http api id n value failed be been has timeout model limit`
    .split(/\s+/)
    .map(word => [word, 60] as const),
])

/** Longer lists of witnesses cost more than they save. */
const MOST_WITNESSES = 32

/** The words of which one has to stand in a text that a phrase stands in, beside the one that it is looked up by. */
function witnesses(elements: readonly Element[], anchor: number, uses: readonly number[]): readonly number[] {
  const others = elements.filter((_element, index) => index !== anchor)
  const words = others[rarest(others, uses)]
  return words && !words.optional && words.words.length <= MOST_WITNESSES ? words.words : []
}

/** The element whose words the fewest phrases use, so that common words cost little. */
function rarest(elements: readonly Element[], uses: readonly number[]): number {
  let best = 0
  let least = Infinity
  for (let i = 0; i < elements.length; i++) {
    const { words, optional } = elements[i] as Element
    if (optional) continue
    let cost = 0
    for (const word of words) cost += uses[word] as number
    if (cost < least) {
      least = cost
      best = i
    }
  }
  return best
}

/**
 * One of the word sequences that a phrase stands for, seen from the element that it is looked up by, in a row of
 * numbers: how many follow; the phrase; how many witnesses it has, and they; how many elements stand behind the anchor, and they; how many stand before it,
 * and they, the nearest first. An element is its gap, 1 if it may be missing, how many words it has, and they.
 */
function writeVariant(
  phrase: number,
  elements: readonly Element[],
  anchor: number,
  witnesses: readonly number[],
): number[] {
  const behind = elements.slice(anchor + 1).map(element => writeElement(element, element.gap))
  // The gap stands with the later of two elements: going left, with the one that it is reached from.
  const before = elements
    .slice(0, anchor)
    .map((element, index) => writeElement(element, (elements[index + 1] as Element).gap))
    .reverse()
  const numbers = [
    phrase,
    witnesses.length,
    ...witnesses,
    behind.length,
    ...behind.flat(),
    before.length,
    ...before.flat(),
  ]
  return [numbers.length, ...numbers]
}

function writeElement({ words, optional }: Element, gap: number): number[] {
  return [gap, optional ? 1 : 0, words.length, ...words]
}
