import { anyOf, mayContain, prefilterOf } from './prefilter.ts'

/**
 * What a program only guesses about the reason: "this may be because there are no credentials". What it says of the
 * failure itself counts before that.
 */
const GUESS =
  /\b(?:(?:this|which|that|it) )?(?:(?:may|might|could) (?:be|have been) (?:because|due to|caused by)|(?:perhaps|maybe|possibly) (?:because|due to)|possible (?:causes?|reasons?):)[^\n]*?(?=[.;](?:\s|$)|\n|$)/gi

/** Every guess holds one of these; most texts hold none. */
const REASONS = anyOf('because', 'due to', 'caused by', 'possible cause', 'possible reason')

/** A text without its guesses, and the guesses; undefined where it makes none, or says nothing else. */
export function withoutGuesses(text: string): { said: string; guessed: string } | undefined {
  if (!mayContain(prefilterOf(text), REASONS)) return undefined
  const guesses = text.match(GUESS)
  if (guesses === null) return undefined
  const said = text.replaceAll(GUESS, '')
  return /\p{L}{3}/u.test(said) ? { said, guessed: guesses.join('\n') } : undefined
}
