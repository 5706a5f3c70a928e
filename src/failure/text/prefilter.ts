/**
 * Rules words out before patterns are tried: the pairs of characters that a text has, read in one pass. Most patterns
 * need a word that most texts do not have. A word that is there is never ruled out; one that is not there may pass, and
 * then the pattern decides.
 */
export interface Prefilter {
  readonly text: string
  /** One bit for each pair of characters that stand beside each other; undefined for long texts, which have them all. */
  readonly pairs: readonly number[] | undefined
  /** The text in lower case, once needed. */
  lowered: string | undefined
}

/** A word that a pattern needs: its rarest pair, all pairs, and how it is looked for in a long text; empty if it is not. */
interface Word {
  readonly rarest: number
  readonly pairs: readonly number[]
  readonly word: string
}

/** Words of which a pattern needs one. */
export type Words = readonly Word[]

const PAIRS = 1_024
const NO_PAIRS: readonly number[] = new Array<number>(PAIRS >> 5).fill(0)
/** Up to this length the pairs alone tell enough; above it they only tell which words are looked for. */
const SHORT = 256
const LONG = 4_096

/** Kinds of characters: letters whatever their case, any digit, the blank, other ASCII characters, all the rest. */
const KIND = Uint8Array.from({ length: 128 }, (_, code) => {
  const letter = String.fromCharCode(code).toLowerCase().charCodeAt(0) - 96
  if (letter >= 1 && letter <= 26) return letter
  if (code >= 48 && code <= 57) return 27
  return code === 32 ? 28 : 29 + (code % 35)
})
const OTHER = 0
/** How often they stand in texts: the rest, the letters, digits, the blank; signs are rare. */
const FREQUENCY = [
  0, 24, 7, 14, 17, 27, 11, 10, 19, 22, 3, 5, 16, 13, 21, 23, 8, 2, 18, 20, 25, 15, 6, 12, 4, 9, 1, 26, 28,
]

/** Several readers look at the few texts of an input one after the other. Never at long ones: those would be kept for nothing. */
const RECENT = 4
const recent: Prefilter[] = Array.from({ length: RECENT }, () => ({
  text: '',
  pairs: NO_PAIRS,
  lowered: undefined,
}))
let next = 0

export function prefilterOf(text: string): Prefilter {
  if (text.length > LONG) return { text, pairs: undefined, lowered: undefined }
  for (let at = 0; at < RECENT; at++) {
    const known = recent[at] as Prefilter
    if (known.text === text) return known
  }
  const prefilter: Prefilter = { text, pairs: pairsIn(text), lowered: undefined }
  recent[next] = prefilter
  next = (next + 1) % RECENT
  return prefilter
}

function pairsIn(text: string): number[] {
  const pairs = NO_PAIRS.slice()
  let before = kindOf(text, 0)
  for (let at = 1; at < text.length; at++) {
    const kind = kindOf(text, at)
    const pair = pairOf(before, kind)
    pairs[pair >> 5] = (pairs[pair >> 5] as number) | (1 << pair)
    before = kind
  }
  return pairs
}

/** True where one of the words may stand in the text. */
export function mayContain(prefilter: Prefilter, words: Words): boolean {
  const { pairs, text } = prefilter
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as Word
    if (pairs && !(has(pairs, word.rarest) && hasAll(pairs, word.pairs))) continue
    if (text.length <= SHORT || isIn(prefilter, word)) return true
  }
  return false
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
 * Words of two characters or more in lower case, for {@link mayContain}. The case of a text means nothing; 0 is any digit,
 * and what is not ASCII is anything that is not.
 */
export function anyOf(...words: readonly string[]): Words {
  return words.map(word => {
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
    // Words that mean several things are known by their pairs alone.
    return { rarest, pairs, word: /[0\u0080-\uffff]/.test(word) ? '' : word }
  })
}

function kindOf(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code < 128 ? (KIND[code] as number) : OTHER
}

/** Pairs of letters have numbers of their own; some others share one. */
function pairOf(before: number, kind: number): number {
  return ((before << 5) ^ kind) & (PAIRS - 1)
}
