import { codeAt } from './characters.ts'
/**
 * Rules out words before patterns are tried, by the pairs of characters in a text, read in one pass. Most patterns need a
 * word that most texts lack. A word that is present is never ruled out. An absent one may pass; then the pattern decides.
 */
export interface Prefilter {
  readonly text: string
  /** One bit per pair of adjacent characters; undefined for long texts, which contain nearly all pairs of kinds. */
  readonly pairs: readonly number[] | undefined
  /** For long texts: one byte per pair of ASCII characters. */
  readonly exact: Uint8Array | undefined
  /** The text in lower case, once needed. */
  lowered: string | undefined
}

/** A word that a pattern needs: its rarest pair, all its pairs, and the word to search for in long texts (empty for none). */
interface Word {
  readonly rarest: number
  readonly pairs: readonly number[]
  /** As long texts have them, once one was read. */
  exact: readonly number[] | undefined
  readonly word: string
}

/** Words of which a pattern needs at least one. Prepared at the first text, so that loading them costs nothing. */
export interface Words {
  readonly list: readonly string[]
  prepared: readonly Word[] | undefined
}

const PAIRS = 1_024
const NO_PAIRS: readonly number[] = new Array<number>(PAIRS >> 5).fill(0)
/** Up to this length the pairs alone decide; above it they only select the words to search for. */
const SHORT = 256
const LONG = 4_096

/** Kinds of characters: letters regardless of case, any digit, the space, other ASCII characters, everything else. */
const KIND = Uint8Array.from({ length: 128 }, (_, code) => {
  const letter = String.fromCharCode(code).toLowerCase().charCodeAt(0) - 96
  if (letter >= 1 && letter <= 26) return letter
  if (code >= 48 && code <= 57) return 27
  return code === 32 ? 28 : 29 + (code % 35)
})
const OTHER = 0
/** How common each kind is in texts: other, the letters, digits, the space. ASCII symbols are rare. */
const FREQUENCY = [
  0, 24, 7, 14, 17, 27, 11, 10, 19, 22, 3, 5, 16, 13, 21, 23, 8, 2, 18, 20, 25, 15, 6, 12, 4, 9, 1, 26, 28,
]

/** Several readers look at the few texts of an input in turn. Long texts are not cached, to save memory. */
const RECENT = 4
const recent: Prefilter[] = Array.from({ length: RECENT }, () => ({
  text: '',
  pairs: NO_PAIRS,
  exact: undefined,
  lowered: undefined,
}))
let next = 0

export function prefilterOf(text: string): Prefilter {
  if (text.length > LONG) return { text, pairs: undefined, exact: exactPairsIn(text), lowered: undefined }
  for (let at = 0; at < RECENT; at++) {
    const known = recent[at] as Prefilter
    if (known.text === text) return known
  }
  const prefilter: Prefilter = { text, pairs: pairsIn(text), exact: undefined, lowered: undefined }
  recent[next] = prefilter
  next = (next + 1) % RECENT
  return prefilter
}

function pairsIn(text: string): number[] {
  const pairs = NO_PAIRS.slice()
  if (text === '') return pairs
  let before = kindOf(text, 0)
  const { length } = text
  for (let at = 1; at < length; at++) {
    const kind = kindOf(text, at)
    const pair = pairOf(before, kind)
    pairs[pair >> 5] = (pairs[pair >> 5] as number) | (1 << pair)
    before = kind
  }
  return pairs
}

/** How an exact pair sees a character: letters in lower case, any digit as 0, everything that is not ASCII as one. */
const EXACT = Uint8Array.from({ length: 128 }, (_, code) =>
  code >= 48 && code <= 57 ? 48 : String.fromCharCode(code).toLowerCase().charCodeAt(0),
)
const NOT_ASCII = 127

function exactPairsIn(text: string): Uint8Array {
  const pairs = new Uint8Array(128 * 128)
  let before = exactOf(text, 0)
  const { length } = text
  for (let at = 1; at < length; at++) {
    const kind = exactOf(text, at)
    pairs[(before << 7) | kind] = 1
    before = kind
  }
  return pairs
}

function exactOf(text: string, at: number): number {
  const code = codeAt(text, at)
  return code < 128 ? (EXACT[code] as number) : NOT_ASCII
}

/** True if one of the words may occur in the text. */
export function mayContain(prefilter: Prefilter, words: Words): boolean {
  const { pairs, exact, text } = prefilter
  words.prepared ??= words.list.map(prepare)
  for (let i = 0; i < words.prepared.length; i++) {
    const word = words.prepared[i] as Word
    if (pairs && !(has(pairs, word.rarest) && hasAll(pairs, word.pairs))) continue
    if (exact && !hasAllExact(exact, word, words.list[i] as string)) continue
    if (text.length <= SHORT || isIn(prefilter, word)) return true
  }
  return false
}

/** Not within {@link mayContain}: there it would take memory at each call. */
function hasAllExact(exact: Uint8Array, word: Word, written: string): boolean {
  word.exact ??= Array.from(
    { length: written.length - 1 },
    (_, at) => (exactOf(written, at) << 7) | exactOf(written, at + 1),
  )
  return word.exact.every(pair => exact[pair] === 1)
}

function hasAll(pairs: readonly number[], wanted: readonly number[]): boolean {
  for (let i = 0; i < wanted.length; i++) if (!has(pairs, wanted[i] as number)) return false
  return true
}

function has(pairs: readonly number[], pair: number): boolean {
  return ((pairs[pair >> 5] as number) & (1 << pair)) !== 0
}

function isIn(prefilter: Prefilter, { word }: Word): boolean {
  prefilter.lowered ??= prefilter.text.toLowerCase()
  return word === '' || prefilter.lowered.includes(word)
}

/**
 * Words for {@link mayContain}: lower case, at least two characters. The text's case is ignored; 0 stands for any digit, and a
 * non-ASCII character for any other non-ASCII character.
 */
export function anyOf(...list: readonly string[]): Words {
  return { list, prepared: undefined }
}

function prepare(word: string): Word {
  const pairs: number[] = []
  let rarest = -1
  let least = Infinity
  let before = kindOf(word, 0)
  for (let at = 1; at < word.length; at++) {
    const kind = kindOf(word, at)
    const pair = pairOf(before, kind)
    const frequency = (FREQUENCY[before] ?? 0) + (FREQUENCY[kind] ?? 0)
    pairs.push(pair)
    if (frequency < least) {
      rarest = pair
      least = frequency
    }
    before = kind
  }
  // Words with such wildcards are recognised by their pairs only.
  return { rarest, pairs, exact: undefined, word: /[0\u0080-\uffff]/.test(word) ? '' : word }
}

function kindOf(text: string, at: number): number {
  const code = codeAt(text, at)
  return code < 128 ? (KIND[code] as number) : OTHER
}

/** Pairs of letters have unique numbers; some other pairs share one. */
function pairOf(before: number, kind: number): number {
  return ((before << 5) ^ kind) & (PAIRS - 1)
}
