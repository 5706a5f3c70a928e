import { LedgerError } from '../error.ts'

/** Longer ones are cut: an index takes no lexeme above 2 KB. */
const LONGEST_WORD = 250

/** The words of a text, each once, as they are stored. */
export function lexemes(text: string): string[] {
  return [...new Set(wordsOf(text))]
}

/** Words as the index of texts wants them: all of them, the last one as a beginning. */
export function wordQuery(text: string): string {
  const words = wordsOf(text)
  if (words.length === 0)
    throw new LedgerError('invalid', `text ${JSON.stringify(text)}: give at least one word to look for`)
  // Only letters and digits are left, so that nothing needs to be escaped.
  return `${words.map(word => `'${word}'`).join(' & ')}:*`
}

/** Letters and digits, small, without accents: what the full text index of SQLite takes for words. */
function wordsOf(text: string): string[] {
  return text
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word !== '')
    .map(word => word.slice(0, LONGEST_WORD))
}
