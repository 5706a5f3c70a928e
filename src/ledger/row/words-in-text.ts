import { LedgerError } from '../error.ts'

/** Runs of letters and digits, in lower case, without accents: the words that the full-text indexes of both databases have. */
export function wordsIn(text: string): string[] {
  return text
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word !== '')
}

/** The words of a filter. Refuses one that has none. They have only letters and digits, so nothing needs escaping. */
export function soughtWords(text: string): string[] {
  const words = wordsIn(text)
  if (words.length === 0)
    throw new LedgerError(
      'invalid',
      `text must have at least one word to look for, not ${JSON.stringify(text)}`,
    )
  return words
}
