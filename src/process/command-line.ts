import { MEANING, type MeaningfulError, type OwnMeaning } from '../failure/own-error.ts'

/** A command line that cannot be split into words. */
export class CommandLineError extends Error implements MeaningfulError {
  override name = 'CommandLineError'

  get [MEANING](): OwnMeaning {
    return { kind: 'config' }
  }
}

/**
 * Splits a command line into words like a shell: spaces separate, quotes and backslashes group. Nothing is expanded,
 * substituted, redirected or chained.
 */
export function splitCommandLine(line: string): string[] {
  const words: string[] = []
  let word: string | undefined
  let quote: string | undefined
  for (let i = 0; i < line.length; i++) {
    const char = line[i] as string
    if (quote === undefined && /\s/.test(char)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else if (quote === undefined && (char === '"' || char === "'")) {
      quote = char
      word ??= ''
    } else if (char === quote) quote = undefined
    else if (char === '\\' && quote !== "'") {
      const next = line[++i]
      if (next === undefined) throw new CommandLineError('it ends with a backslash')
      // Within double quotes a backslash is literal, unless it escapes one of these.
      word = (word ?? '') + (quote === '"' && next !== '"' && next !== '\\' ? `\\${next}` : next)
    } else word = (word ?? '') + char
  }
  if (quote !== undefined) throw new CommandLineError(`a ${quote} is not closed`)
  if (word !== undefined) words.push(word)
  return words
}
