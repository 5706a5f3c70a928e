import { soughtWords, wordsIn } from '../row/words-in-text.ts'

/** Longer words are cut: an index takes no lexeme above 2 KB. */
const LONGEST_WORD = 250

/** The words of a text as stored, each once. */
export function lexemes(text: string): string[] {
  return [...new Set(wordsIn(text).map(cut))]
}

/** A query for the text index: all words must match, the last one as a prefix. */
export function wordQuery(text: string): string {
  const words = soughtWords(text).map(cut)
  return `${words.map(word => `'${word}'`).join(' & ')}:*`
}

function cut(word: string): string {
  return word.slice(0, LONGEST_WORD)
}
