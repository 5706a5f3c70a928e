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
  /** Variants by the number of their anchor word. */
  readonly #byAnchor: (Variant[] | undefined)[]

  constructor(phrases: readonly string[]) {
    const numbers = new Map<string, number>([['#', NUMBER]])
    const intern = (word: string) => {
      const known = numbers.get(word)
      if (known !== undefined) return known
      const number = this.#vocabulary.intern(word)
      numbers.set(word, number)
      return number
    }
    const variants: Variant[] = []
    const uses: number[] = []
    for (let phrase = 0; phrase < phrases.length; phrase++) {
      for (const elements of parsePhrase(phrases[phrase] as string, intern)) {
        variants.push({ phrase, elements, anchor: 0 })
        for (const { words } of elements) for (const word of words) uses[word] = (uses[word] ?? 0) + 1
      }
    }
    // Made in its full length at once: an array that grows by leaps becomes a slow dictionary.
    this.#byAnchor = new Array<Variant[] | undefined>(uses.length).fill(undefined)
    for (const variant of variants) {
      variant.anchor = rarest(variant.elements, uses)
      for (const word of (variant.elements[variant.anchor] as Element).words) {
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
        const { phrase, elements, anchor } = variant
        const to = matchFrom(elements, anchor + 1, tokens, at, 1)
        const from = to < 0 ? -1 : matchFrom(elements, anchor - 1, tokens, at, -1)
        if (from < 0) continue
        const start = tokens.starts[from] as number
        if (start >= (hits.get(phrase)?.start ?? 0))
          hits.set(phrase, { phrase, start, end: tokens.ends[to] as number })
      }
    }
    return [...hits.values()]
  }
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
 * Index of the token that the outermost element stands on, going from `here` in one direction; -1 if the
 * phrase does not fit. Every place within a gap is tried, and an element that may be missing is also left out;
 * gaps are short and few, so the cost stays bounded.
 */
function matchFrom(
  elements: readonly Element[],
  next: number,
  tokens: Tokens,
  here: number,
  step: 1 | -1,
): number {
  const element = elements[next]
  if (element === undefined) return here
  // The gap stands with the later of two elements: this one's going right, its neighbour's going left.
  const { gap } = step === 1 ? element : (elements[next + 1] as Element)
  const across = gap < 0
  const room = (across ? -gap : gap) + 1
  for (let i = 1; i <= room; i++) {
    const at = here + step * i
    if (at < 0 || at >= tokens.count) break
    if (!across && tokens.breaks[step === 1 ? at : at + 1] === 1) break
    if (!element.words.includes(tokens.ids[at] as number)) continue
    const end = matchFrom(elements, next + step, tokens, at, step)
    if (end >= 0) return end
  }
  return element.optional ? matchSkipping(elements, next, tokens, here, step) : -1
}

/** As above, without the element at `next`. Going left, the gap before what it stood before is kept. */
function matchSkipping(
  elements: readonly Element[],
  next: number,
  tokens: Tokens,
  here: number,
  step: 1 | -1,
): number {
  if (step === 1) return matchFrom(elements, next + 1, tokens, here, 1)
  const without = [...elements.slice(0, next), ...elements.slice(next + 1)]
  return matchFrom(without, next - 1, tokens, here, -1)
}
