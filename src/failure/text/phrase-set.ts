import type { CompiledPhrases } from './compiled-phrases.ts'
import { type Tokens, UNKNOWN } from './tokens.ts'
import { Variants } from './variants.ts'
import { Vocabulary } from './vocabulary.ts'
import { WordIndex } from './word-index.ts'

/** The last occurrence of a phrase in a text, as character offsets. */
export interface PhraseHit {
  phrase: number
  start: number
  end: number
}

const NO_HITS: readonly PhraseHit[] = []
/** Marks a word whose variants were not read yet. */
const NOT_READ = -1
const ROOM = 16_384

/**
 * Finds many phrases in one pass over a text. Each phrase is looked up by its rarest word and compared as integers from
 * there. Gaps are bounded, so the cost is linear in the length of any text.
 */
export class PhraseSet {
  readonly #vocabulary: Vocabulary
  readonly #variants: Variants
  /** By word number: where the variants looked up by that word begin and end in {@link #rows}. */
  readonly #starts: Int32Array
  readonly #ends: Int32Array
  /** Variants of all words met so far, stored contiguously, because nearby memory is read faster. */
  #rows = new Int32Array(ROOM)
  #used = 0
  /** By word number: the last text that contained the word. */
  readonly #lastSeen: Int32Array
  #texts = 0

  constructor(compiled: CompiledPhrases) {
    const { words, count } = compiled
    this.#vocabulary = new Vocabulary(new WordIndex(words, count))
    this.#variants = new Variants(compiled)
    this.#starts = new Int32Array(count).fill(NOT_READ)
    this.#ends = new Int32Array(count)
    this.#lastSeen = new Int32Array(count)
  }

  /** The last occurrence of each phrase in the text. */
  match(text: string): readonly PhraseHit[] {
    const tokens = this.#vocabulary.tokenize(text)
    let hits: Map<number, PhraseHit> | undefined
    const seen = this.#stamp(tokens)
    const lastSeen = this.#lastSeen
    const starts = this.#starts
    const ends = this.#ends
    for (let here = 0; here < tokens.count; here++) {
      const word = tokens.ids[here] as number
      if (word === UNKNOWN) continue
      if (starts[word] === NOT_READ) this.#read(word)
      const variants = this.#rows
      const end = ends[word] as number
      for (let at = starts[word] as number; at < end; at += 1 + (variants[at] as number)) {
        const witnesses = variants[at + 2] as number
        const list = at + 3 + witnesses
        if (witnesses > 0 && !isSeen(variants, at + 3, list, lastSeen, seen)) continue
        const to = matchFrom(variants, list, tokens, here, 1)
        const from = to < 0 ? -1 : matchFrom(variants, endOf(variants, list), tokens, here, -1)
        if (from < 0) continue
        const phrase = variants[at + 1] as number
        const start = tokens.starts[from] as number
        hits ??= new Map()
        if (start >= (hits.get(phrase)?.start ?? 0))
          hits.set(phrase, { phrase, start, end: tokens.ends[to] as number })
      }
    }
    return hits ? [...hits.values()] : NO_HITS
  }

  /** Records which words occur in a text. Most variants lack one of theirs and need no comparison. */
  #stamp(tokens: Tokens): number {
    const seen = (this.#texts + 1) & 0x7fff_ffff
    this.#texts = seen
    const lastSeen = this.#lastSeen
    const { ids, count } = tokens
    for (let at = 0; at < count; at++) lastSeen[ids[at] as number] = seen
    return seen
  }

  #read(word: number): void {
    const row = this.#variants.row(word)
    const start = this.#used
    const end = start + row.length
    if (end > this.#rows.length) {
      const roomier = new Int32Array(Math.max(end, this.#rows.length * 2))
      roomier.set(this.#rows)
      this.#rows = roomier
    }
    this.#rows.set(row, start)
    this.#starts[word] = start
    this.#ends[word] = end
    this.#used = end
  }
}

/** True if the text contains one of the words in the given range. */
function isSeen(variants: Int32Array, from: number, to: number, lastSeen: Int32Array, text: number): boolean {
  for (let at = from; at < to; at++) if (lastSeen[variants[at] as number] === text) return true
  return false
}

/** The end of a list of elements that begins with its length. */
function endOf(variants: Int32Array, list: number): number {
  let at = list + 1
  for (let left = variants[list] as number; left > 0; left--) at += 3 + (variants[at + 2] as number)
  return at
}

/** The index of the token matched by the outermost element of a list; -1 if the list does not match. */
function matchFrom(variants: Int32Array, list: number, tokens: Tokens, here: number, step: 1 | -1): number {
  const length = variants[list] as number
  if (length === 0) return here
  return matchElement(variants, list + 1, length, variants[list + 1] as number, tokens, here, step)
}

/**
 * The same for the element at `at` and the `left - 1` elements after it. Tries every position within the gap, and leaves out
 * an optional element. Gaps are short and few, so the cost stays bounded.
 */
function matchElement(
  variants: Int32Array,
  at: number,
  left: number,
  gap: number,
  tokens: Tokens,
  here: number,
  step: 1 | -1,
): number {
  const next = at + 3 + (variants[at + 2] as number)
  const across = gap < 0
  const room = (across ? -gap : gap) + 1
  for (let i = 1; i <= room; i++) {
    const place = here + step * i
    if (place < 0 || place >= tokens.count) break
    if (!across && tokens.breaks[step === 1 ? place : place + 1] === 1) break
    if (!hasWord(variants, at + 3, next, tokens.ids[place] as number)) continue
    if (left === 1) return place
    const end = matchElement(variants, next, left - 1, variants[next] as number, tokens, place, step)
    if (end >= 0) return end
  }
  if (variants[at + 1] !== 1) return -1
  // Without this element. Going left, keep the gap of the element before it.
  if (left === 1) return here
  return matchElement(
    variants,
    next,
    left - 1,
    step === 1 ? (variants[next] as number) : gap,
    tokens,
    here,
    step,
  )
}

function hasWord(variants: Int32Array, from: number, to: number, word: number): boolean {
  for (let at = from; at < to; at++) if (variants[at] === word) return true
  return false
}
