import { type CompiledPhrases, MARK, SHORT_WORDS, twoDigits, wordInDigits } from './compiled-phrases.ts'
import { type Part, parsePhrase } from './phrase.ts'

/** Compiles the phrases of the catalogue. */
export function compilePhrases(phrases: readonly string[]): CompiledPhrases {
  const parsed = phrases.map(parsePhrase)
  const said = parsed.flat().flatMap(({ choices }) => choices.flat())
  const numbers = said.filter(word => /^\d+$/.test(word))
  const uses = new Map<string, number>(['', '#', ...numbers].map(word => [word, Infinity]))
  for (const word of said) uses.set(word, (uses.get(word) ?? COMMON.get(word) ?? 0) + 1)
  const words = [...uses.keys()].toSorted((a, b) => (uses.get(b) as number) - (uses.get(a) as number) || 0)
  const once = words.findIndex(word => uses.get(word) === 1)
  const writer = new Writer(words, once < 0 ? words.length : once)
  const written = parsed.map(parts => {
    const anchor = rarest(parts, uses)
    return parts.map(part => writer.part(part, part === anchor)).join('') + mark('phraseEnd')
  })
  return { words: words.join(' '), count: words.length, once: writer.once, phrases: written.join('') }
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
    const before = gap === 0 ? '' : mark(gap === 1 ? 'gap' : 'farGap')
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

  /** A choice is looked up by its rarest word, which has the highest number. */
  #choice(words: readonly string[], isAnchor: boolean): string {
    const numbers = words.map(word => this.#numbers.get(word) as number)
    const anchor = isAnchor ? Math.max(...numbers) : undefined
    return numbers.map(number => this.#word(number, number === anchor)).join(mark('joined'))
  }

  #word(number: number, isAnchor: boolean): string {
    if (number >= this.once) return (isAnchor ? mark('anchor') : '') + mark('nextWord')
    const before = isAnchor ? mark(number < SHORT_WORDS ? 'shortAnchor' : 'anchor') : ''
    return before + wordInDigits(number)
  }
}
