/**
 * The language that phrases are written in, made to be read:
 *
 *   `rate limit exceeded`        these words in this order, whatever stands between them but words
 *   `(request|token) limit`      alternatives; one may be empty: `(your|) quota`
 *   `quota … exceeded`           up to 10 other words between, in one sentence
 *   `limit …… reset`             up to 40 other words between, over sentences too
 *   `after # seconds`            `#` is a number
 *
 * Words are lower case; punctuation in a phrase means nothing.
 */
export interface Element {
  /** Numbers of the words that may stand here. */
  words: readonly number[]
  /** Other words allowed before this one: 0 none, n within the sentence, -n across sentences as well. */
  gap: number
  /** True if it may be missing; never for the first or last element, nor after a gap. */
  optional: boolean
}

const NEAR = 10
const FAR = -40
const MOST_VARIANTS = 64

/** Thrown when a phrase is not written in the language above: a mistake in the catalogue, found by its test. */
export class PhraseError extends Error {
  override name = 'PhraseError'
  constructor(phrase: string, problem: string) {
    super(`phrase ${JSON.stringify(phrase)} ${problem}`)
  }
}

type Part = { gap: number } | { choices: string[][] }

/** The word sequences that a phrase stands for; one each for alternatives of several words. */
export function parsePhrase(source: string, intern: (word: string) => number): Element[][] {
  let variants: Element[][] = [[]]
  let gap = 0
  for (const part of partsOf(source)) {
    if ('gap' in part) {
      gap = part.gap
      continue
    }
    const singles = part.choices.filter(words => words.length === 1).map(([word]) => intern(word as string))
    const longer = part.choices.filter(words => words.length > 1).map(words => words.map(intern))
    const optional = part.choices.some(words => words.length === 0)
    const inline = optional && gap === 0 && singles.length > 0
    const tails: Element[][] = longer.map(words =>
      words.map((word, i) => ({ words: [word], gap: i === 0 ? gap : 0, optional: false })),
    )
    if (singles.length > 0) tails.push([{ words: singles, gap, optional: inline }])
    const skipping = optional && !inline
    variants = variants.flatMap(variant => [
      ...tails.map(tail => [...variant, ...tail]),
      ...(skipping ? [variant] : []),
    ])
    // A gap before something that may be missing still stands before what follows it.
    gap = skipping ? gap : 0
    if (variants.length > MOST_VARIANTS)
      throw new PhraseError(source, `has more than ${MOST_VARIANTS} variants`)
  }
  return variants.map(variant => checked(source, variant))
}

/** The ends must be there: a phrase is looked up by a word that it cannot lack. */
function checked(source: string, variant: Element[]): Element[] {
  const from = variant.findIndex(element => !element.optional)
  const to = variant.findLastIndex(element => !element.optional)
  if (from < 0) throw new PhraseError(source, 'can be empty')
  const [first, ...rest] = variant.slice(from, to + 1)
  return [{ ...(first as Element), gap: 0 }, ...rest]
}

function partsOf(source: string): Part[] {
  if (/[A-Z]/.test(source)) throw new PhraseError(source, 'must be in lower case')
  const parts: Part[] = []
  for (const [piece] of source.matchAll(/\([^()]*\)|……|…|[^()…]+/g)) {
    if (piece === '…') parts.push({ gap: NEAR })
    else if (piece === '……') parts.push({ gap: FAR })
    else if (piece.startsWith('(')) parts.push({ choices: piece.slice(1, -1).split('|').map(wordsOf) })
    else if (piece.includes('|')) throw new PhraseError(source, 'has a | outside of brackets')
    else for (const word of wordsOf(piece)) parts.push({ choices: [[word]] })
  }
  if (source.replaceAll(/\([^()]*\)/g, '').match(/[()]/))
    throw new PhraseError(source, 'has an unmatched bracket')
  return parts
}

/** Must cut words as the vocabulary does, except that phrases are written in lower case. */
const WORD =
  /#|[\u3040-\u30fa\u3400-\u9fff\uac00-\ud7a3]|[a-z0-9\u00c0-\u024f\u0370-\u052f]+(?:['’][a-z]+)*/gu

function wordsOf(text: string): string[] {
  return [...text.matchAll(WORD)].map(([word]) => word.replaceAll(/['’]/g, ''))
}
