/** How a character is compared: letters in lower case, any digit as `0`. */
const SEEN = Uint8Array.from({ length: 128 }, (_, code) =>
  code >= 48 && code <= 57 ? 48 : String.fromCharCode(code).toLowerCase().charCodeAt(0),
)
/** From the most common character of texts to the rarest of letters; what is not listed is rarer still. */
const COMMON = ' etaoinsrhldc0umfpgwybvkxjqz'

interface Word {
  readonly number: number
  readonly codes: readonly number[]
  /** Where in the word its rarest pair of characters stands. */
  readonly offset: number
}

/**
 * Words, all looked for in one pass: most secrets need a word that most texts lack. Case is ignored, `0` stands for any digit.
 * The pass reads each pair of characters once, and compares a word only where its rarest pair stands.
 */
export class Marks {
  readonly #lists: readonly Word[][]
  /** Per pair of characters: the number of its list, 0 for none. */
  readonly #table = new Uint8Array(1 << 14)

  constructor(words: readonly string[]) {
    const lists: Word[][] = [[]]
    words.forEach((word, number) => {
      // Letters that are not ASCII have no table of cases.
      for (const form of new Set([word, word.replace(/[^\0-\u007f]/g, char => char.toUpperCase())])) {
        const codes = Array.from({ length: form.length }, (_, at) => codeAt(form, at))
        const offset = rarestPairOf(codes)
        const pair = pairOf(codes[offset] as number, codes[offset + 1] as number)
        const list = this.#table[pair] || lists.push([]) - 1
        this.#table[pair] = list
        lists[list]?.push({ number, codes, offset })
      }
    })
    this.#lists = lists
  }

  /** Tells where each word stands, in order of their rarest pairs. */
  each(text: string, found: (word: number, at: number) => void): void {
    const table = this.#table
    let before = text.charCodeAt(0)
    before = before < 128 ? (SEEN[before] as number) : before & 127
    for (let at = 1; at < text.length; at++) {
      const code = text.charCodeAt(at)
      const seen = code < 128 ? (SEEN[code] as number) : code & 127
      const list = table[(before << 7) | seen] as number
      if (list !== 0)
        for (const word of this.#lists[list] as Word[])
          if (isAt(text, at - 1 - word.offset, word.codes)) found(word.number, at - 1 - word.offset)
      before = seen
    }
  }
}

function isAt(text: string, start: number, codes: readonly number[]): boolean {
  for (let at = 0; at < codes.length; at++) if (codeAt(text, start + at) !== codes[at]) return false
  return true
}

function codeAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code < 128 ? (SEEN[code] as number) : code
}

/** Characters that are not ASCII share the numbers of those that are: the comparison tells them apart. */
function pairOf(first: number, second: number): number {
  return ((first & 127) << 7) | (second & 127)
}

function rarestPairOf(codes: readonly number[]): number {
  const rarity = (code: number | undefined) => {
    const rank = COMMON.indexOf(String.fromCharCode((code ?? 0) & 127))
    return rank < 0 ? COMMON.length : rank
  }
  let best = 0
  for (let at = 1; at < codes.length - 1; at++)
    if (rarity(codes[at]) + rarity(codes[at + 1]) > rarity(codes[best]) + rarity(codes[best + 1])) best = at
  return best
}
