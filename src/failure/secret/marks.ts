import { codeAt } from '../text/characters.ts'

/** How a character is compared: letters in lower case, any digit as `0`. */
const SEEN = Uint8Array.from({ length: 128 }, (_, code) =>
  code >= 48 && code <= 57 ? 48 : String.fromCharCode(code).toLowerCase().charCodeAt(0),
)
/** From the most common character of texts to the rarest of letters; what is not listed is rarer still. */
const COMMON = ' etaoinsrhldc0umfpgwybvkxjqz'
const RARITY = new Uint8Array(128).fill(COMMON.length)
for (let rank = 0; rank < COMMON.length; rank++) RARITY[COMMON.charCodeAt(rank)] = rank

interface Word {
  readonly number: number
  readonly codes: readonly number[]
  /** Where in the word its rarest pair of characters stands. */
  readonly offset: number
}

/** A word by its number, and where it stands. */
interface Mark {
  readonly word: number
  readonly at: number
}

const NONE: readonly Mark[] = []

interface Index {
  /** Per pair of characters: the number of its list, 0 for none. */
  readonly table: Uint8Array
  readonly lists: readonly Word[][]
}

/**
 * Words, all looked for in one pass: most secrets need a word that most texts lack. Case is ignored, `0` stands for any digit.
 * The pass reads each pair of characters once, and compares a word only where its rarest pair stands.
 */
export class Marks {
  readonly #words: readonly string[]
  /** Made at the first text: a program that never fails needs none. */
  #index: Index | undefined

  constructor(words: readonly string[]) {
    this.#words = words
  }

  /** Where words stand, in order of their rarest pairs. */
  in(text: string): readonly Mark[] {
    this.#index ??= indexOf(this.#words)
    let found: Mark[] | undefined
    const { table, lists } = this.#index
    let before = text.charCodeAt(0)
    before = before < 128 ? (SEEN[before] as number) : before & 127
    const { length } = text
    for (let at = 1; at < length; at++) {
      const code = codeAt(text, at)
      const seen = code < 128 ? (SEEN[code] as number) : code & 127
      const list = table[(before << 7) | seen] as number
      if (list !== 0)
        for (const word of lists[list] as Word[])
          if (isAt(text, at - 1 - word.offset, word.codes)) {
            found ??= []
            found.push({ word: word.number, at: at - 1 - word.offset })
          }
      before = seen
    }
    return found ?? NONE
  }
}

function indexOf(words: readonly string[]): Index {
  const table = new Uint8Array(1 << 14)
  const lists: Word[][] = [[]]
  words.forEach((word, number) => {
    // Letters that are not ASCII have no table of cases.
    for (const form of new Set([word, word.replace(/[^\0-\u007f]/g, char => char.toUpperCase())])) {
      const codes = Array.from({ length: form.length }, (_, at) => seenAt(form, at))
      const offset = rarestPairOf(codes)
      const pair = pairOf(codes[offset] as number, codes[offset + 1] as number)
      const list = table[pair] || lists.push([]) - 1
      table[pair] = list
      lists[list]?.push({ number, codes, offset })
    }
  })
  return { table, lists }
}

function isAt(text: string, start: number, codes: readonly number[]): boolean {
  if (start < 0 || start + codes.length > text.length) return false
  for (let at = 0; at < codes.length; at++) if (seenAt(text, start + at) !== codes[at]) return false
  return true
}

function seenAt(text: string, at: number): number {
  const code = codeAt(text, at)
  return code < 128 ? (SEEN[code] as number) : code
}

/** Characters that are not ASCII share the numbers of those that are: the comparison tells them apart. */
function pairOf(first: number, second: number): number {
  return ((first & 127) << 7) | (second & 127)
}

function rarestPairOf(codes: readonly number[]): number {
  const rarity = (at: number) =>
    (RARITY[(codes[at] ?? 0) & 127] as number) + (RARITY[(codes[at + 1] ?? 0) & 127] as number)
  let best = 0
  for (let at = 1; at < codes.length - 1; at++) if (rarity(at) > rarity(best)) best = at
  return best
}
