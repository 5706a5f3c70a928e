import { type CompiledPhrases, MARK, SHORT_WORDS, twoDigits, wordInDigits } from './compiled-phrases.ts'
import { type Part, parsePhrase } from './phrase.ts'

/** Compiles the phrases of the catalogue. */
export function compilePhrases(phrases: readonly string[]): CompiledPhrases {
  const parsed = phrases.map(parsePhrase)
  const uses = new Map(['', '#'].map(word => [word, Infinity]))
  for (const word of wordsOf(parsed)) {
    const before = /^\d+$/.test(word) ? Infinity : (uses.get(word) ?? COMMON.get(word) ?? 0)
    uses.set(word, before + 1)
  }
  const often = [...uses.keys()]
    .filter(word => uses.get(word) !== 1)
    .toSorted((a, b) => (uses.get(b) as number) - (uses.get(a) as number) || 0)
  const numbers = new Map(often.map((word, number) => [word, number]))
  for (const { choices } of parsed.flat()) sort(choices, numbers)
  const words = [...often, ...wordsOf(parsed).filter(word => !numbers.has(word))]
  const writer = new Writer(words, often.length)
  const written = parsed.map(parts => {
    const anchor = rarest(parts, uses)
    return parts.map(part => writer.part(part, part === anchor)).join('') + mark('phraseEnd')
  })
  return { words: words.join(' '), count: words.length, once: writer.once, phrases: written.join('') }
}

const wordsOf = (parsed: readonly (readonly Part[])[]) =>
  parsed.flat().flatMap(({ choices }) => choices.flat())

/** Choices have no order of their own. In one that is always the same, brackets with the same words are the same text. */
function sort(choices: string[][], numbers: ReadonlyMap<string, number>): void {
  const key = (words: readonly string[]) =>
    words.length + words.map(word => wordInDigits(numbers.get(word) ?? 0)).join('')
  choices.sort((a, b) => Number(key(a) > key(b)) - Number(key(a) < key(b)))
}

const mark = (name: keyof typeof MARK) => String.fromCharCode(MARK[name])

/** Words that occur in most texts count as used this often more, so that no phrase is looked up by them if it has another. */
const COMMON = new Map(
  `message type code status name body content error errors request for or this please have a an is are was the to of in on at by not no
  and with your you from it json http api id n value failed be been has timeout model limit`
    .split(/\s+/)
    .map(word => [word, 60]),
)

/** The mandatory part whose words are used least, so that common words stay cheap. Of a choice of several, the rarest counts. */
function rarest(parts: readonly Part[], uses: ReadonlyMap<string, number>): Part | undefined {
  const ofWord = (word: string) => Math.min(400, uses.get(word) as number)
  const cost = ({ choices }: Part) => choices.reduce((sum, words) => sum + Math.min(...words.map(ofWord)), 0)
  return parts.filter(({ optional }) => !optional).toSorted((a, b) => cost(a) - cost(b))[0]
}

class Writer {
  readonly once: number
  readonly #numbers: ReadonlyMap<string, number>
  readonly #choices = new Map<string, number>()
  #brackets = 0

  constructor(words: readonly string[], once: number) {
    this.once = once
    this.#numbers = new Map(words.map((word, number) => [word, number]))
  }

  part({ gap, choices, optional }: Part, isAnchor: boolean): string {
    const before = (gap === 0 ? '' : mark(gap === 1 ? 'gap' : 'farGap')) + (isAnchor ? mark('anchor') : '')
    const isWord = choices.length === 1 && choices[0]?.length === 1 && !optional
    return (
      before +
      (isWord ? this.#choice(choices[0] as string[], isAnchor) : this.#part(choices, optional, isAnchor))
    )
  }

  #part(choices: readonly string[][], optional: boolean, isAnchor: boolean): string {
    const key = JSON.stringify([choices, optional])
    const known = this.#choices.get(key)
    if (known !== undefined && !isAnchor) return mark('choicesAgain') + twoDigits(known)
    if (known === undefined) this.#choices.set(key, this.#brackets)
    this.#brackets++
    const written = choices.map(words => this.#choice(words, isAnchor))
    return mark('choices') + written.join('') + (optional ? mark('missing') : '') + mark('choicesEnd')
  }

  #choice(words: readonly string[], isAnchor: boolean): string {
    const numbers = words.map(word => this.#numbers.get(word) as number)
    const anchor = isAnchor ? Math.max(...numbers) : undefined
    return numbers.map(number => this.#word(number, number === anchor)).join(mark('joined'))
  }

  #word(number: number, isAnchor: boolean): string {
    if (number >= this.once) return mark('nextWord')
    return (isAnchor && number < SHORT_WORDS ? mark('shortAnchor') : '') + wordInDigits(number)
  }
}
