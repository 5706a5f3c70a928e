import { anyOf, mayContain, prefilterOf } from './prefilter.ts'

/**
 * What a program only guesses about the cause: "this may be because there are no credentials". What it says about the
 * failure itself takes precedence.
 */
const GUESS =
  /\b(?:(?:this|which|that|it) )?(?:(?:may|might|could) (?:be|have been) (?:because|due to|caused by)|(?:perhaps|maybe|possibly) (?:because|due to)|possible (?:causes?|reasons?):)[^\n]*?(?=[.;](?:\s|$)|\n|$)/gi

/** Every guess contains one of these; most texts contain none. */
const REASONS = anyOf('because', 'due to', 'caused by', 'possible cause', 'possible reason')

/** Splits a text into its statements and its guesses; undefined if it has no guesses, or nothing else. */
export function withoutGuesses(text: string): { said: string; guessed: string } | undefined {
  if (!mayContain(prefilterOf(text), REASONS)) return undefined
  const guesses = text.match(GUESS)
  if (guesses === null) return undefined
  const said = text.replaceAll(GUESS, '')
  return /\p{L}{3}/u.test(said) ? { said, guessed: guesses.join('\n') } : undefined
}
