import { LedgerError } from '../error.ts'

/** Longer words are cut: an index takes no lexeme above 2 KB. */
const LONGEST_WORD = 250

/** The words of a text as stored, each once. */
export function lexemes(text: string): string[] {
  return [...new Set(wordsOf(text))]
}

/** A query for the text index: all words must match, the last one as a prefix. */
export function wordQuery(text: string): string {
  const words = wordsOf(text)
  if (words.length === 0)
    throw new LedgerError('invalid', `text ${JSON.stringify(text)} has no word to search for`)
  // Only letters and digits are left, so nothing needs escaping.
  return `${words.map(word => `'${word}'`).join(' & ')}:*`
}

/** Runs of letters and digits, in lower case, without accents: the same words as SQLite's full-text index. */
function wordsOf(text: string): string[] {
  return text
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word !== '')
    .map(word => word.slice(0, LONGEST_WORD))
}
