import type { CompiledPhrases } from './compiled-phrases.ts'
import type { Element } from './element.ts'
import { parsePhrase } from './phrase.ts'
import { NUMBER } from './tokens.ts'
import { type Variant, writeVariants } from './write-variants.ts'

/** Compiles the phrases of the catalogue. */
export function compilePhrases(phrases: readonly string[]): CompiledPhrases {
  const numbers = new Numbering()
  numbers.of('')
  numbers.of('#')
  const written = phrases.flatMap((source, phrase) =>
    parsePhrase(source, word => numbers.of(word)).map(elements => ({ phrase, elements })),
  )
  const words = numbers.all
  // A number that a phrase names is a word of its own; # matches it too.
  const named = words.flatMap((word, number) => (/^\d+$/.test(word) ? [number] : []))
  const parsed = written.map(({ phrase, elements }) => ({
    phrase,
    elements: elements.map(element =>
      element.words.includes(NUMBER) ? { ...element, words: [...element.words, ...named] } : element,
    ),
  }))
  const uses = words.map(word => COMMON.get(word) ?? 0)
  for (const { elements } of parsed)
    for (const { words } of elements) for (const word of words) uses[word] = (uses[word] as number) + 1
  const variants = phrases.map((): Variant[] => [])
  for (const { phrase, elements } of parsed) {
    const anchor = rarest(elements, uses)
    variants[phrase]?.push({ elements, anchor, witness: witness(elements, anchor, uses) })
  }
  return { words: words.join(' '), variants: writeVariants(variants) }
}

/** Numbers distinct texts from 0. */
class Numbering {
  readonly #numbers = new Map<string, number>()

  of(text: string): number {
    const number = this.#numbers.get(text) ?? this.#numbers.size
    this.#numbers.set(text, number)
    return number
  }

  /** The texts, indexed by their number. */
  get all(): string[] {
    return [...this.#numbers.keys()]
  }
}

/** Words that occur in most texts. They count as used by this many more phrases, so phrases are not looked up by them. */
const COMMON: ReadonlyMap<string, number> = new Map([
  ['#', 400],
  ...`message type code status name body content error errors request for or this please have a an is are was the to of in on
    at by not no and with your you from it json http api id n value failed be been has timeout model limit`
    .split(/\s+/)
    .map(word => [word, 60] as const),
])

/** Longer lists of witnesses cost more than they save. */
const MOST_WITNESSES = 32

/** The element, besides the anchor, of which a word must occur in the text; -1 for none. */
function witness(elements: readonly Element[], anchor: number, uses: readonly number[]): number {
  const others = elements.filter((_element, index) => index !== anchor)
  const rare = others[rarest(others, uses)]
  return rare && !rare.optional && rare.words.length <= MOST_WITNESSES ? elements.indexOf(rare) : -1
}

/** The element whose words the fewest phrases use, to keep common words cheap. */
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
