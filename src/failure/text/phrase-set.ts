import { type Element, parsePhrase } from './phrase.ts'
import { NUMBER, type Tokens, UNKNOWN } from './tokens.ts'
import { Vocabulary } from './vocabulary.ts'

/** The last place in a text where a phrase stands, as offsets of characters. */
export interface PhraseHit {
  phrase: number
  start: number
  end: number
}

interface Variant {
  phrase: number
  elements: readonly Element[]
  /** Which element the variant is looked up by: the one with the rarest words. */
  anchor: number
}

/**
 * Many phrases, found in one pass over a text. A phrase is looked up by its rarest word and compared as
 * integers from there; gaps are bounded; so the cost is linear in the text, whatever the text is.
 */
export class PhraseSet {
  readonly #vocabulary = new Vocabulary()
  readonly #byAnchor: (Variant[] | undefined)[] = []

  constructor(phrases: readonly string[]) {
    const intern = (word: string) => (word === '#' ? NUMBER : this.#vocabulary.intern(word))
    const variants = phrases.flatMap((source, phrase) =>
      parsePhrase(source, intern).map(elements => ({ phrase, elements, anchor: 0 })),
    )
    const uses: number[] = []
    for (const { elements } of variants) {
      for (const word of elements.flatMap(element => element.words)) uses[word] = (uses[word] ?? 0) + 1
    }
    for (const variant of variants) {
      variant.anchor = rarest(variant.elements, uses)
      for (const word of variant.elements[variant.anchor]?.words ?? []) {
        this.#byAnchor[word] ??= []
        this.#byAnchor[word].push(variant)
      }
    }
  }

  tokenize(text: string): Tokens {
    return this.#vocabulary.tokenize(text)
  }

  /** The last place of each phrase that occurs. */
  match(tokens: Tokens): PhraseHit[] {
    const hits = new Map<number, PhraseHit>()
    const { ids, count } = tokens
    for (let at = 0; at < count; at++) {
      const id = ids[at] as number
      const candidates = id === UNKNOWN ? undefined : this.#byAnchor[id]
      if (!candidates) continue
      for (const variant of candidates) {
        const from = matchLeft(variant, tokens, at)
        const to = from < 0 ? -1 : matchRight(variant, tokens, at)
        if (to < 0) continue
        const { phrase } = variant
        const start = tokens.starts[from] as number
        if (start >= (hits.get(phrase)?.start ?? 0))
          hits.set(phrase, { phrase, start, end: tokens.ends[to] as number })
      }
    }
    return [...hits.values()]
  }
}

function rarest(elements: readonly Element[], uses: readonly number[]): number {
  const cost = (element: Element | undefined) =>
    element && !element.optional ? element.words.reduce((sum, word) => sum + (uses[word] ?? 0), 0) : Infinity
  let best = 0
  for (let i = 1; i < elements.length; i++) if (cost(elements[i]) < cost(elements[best])) best = i
  return best
}

/** Index of the token that the first element stands on, going left from the anchor; -1 if it does not fit. */
function matchLeft({ elements, anchor }: Variant, tokens: Tokens, at: number): number {
  let here = at
  let gap = elements[anchor]?.gap as number
  for (let i = anchor - 1; i >= 0; i--) {
    const element = elements[i] as Element
    const found = find(tokens, here, -1, gap, element.words)
    if (found < 0 && !element.optional) return -1
    if (found >= 0) {
      here = found
      gap = element.gap
    }
  }
  return here
}

function matchRight({ elements, anchor }: Variant, tokens: Tokens, at: number): number {
  let here = at
  for (let i = anchor + 1; i < elements.length; i++) {
    const element = elements[i] as Element
    const found = find(tokens, here, 1, element.gap, element.words)
    if (found < 0 && !element.optional) return -1
    if (found >= 0) here = found
  }
  return here
}

/** The nearest token with one of these words. See `Element.gap` for how far is near. */
function find(tokens: Tokens, from: number, step: 1 | -1, gap: number, words: readonly number[]): number {
  const across = gap < 0
  const room = (across ? -gap : gap) + 1
  for (let i = 1; i <= room; i++) {
    const at = from + step * i
    if (at < 0 || at >= tokens.count) return -1
    if (!across && tokens.breaks[step === 1 ? at : at + 1] === 1) return -1
    if (words.includes(tokens.ids[at] as number)) return at
  }
  return -1
}
