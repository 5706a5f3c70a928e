/**
 * What a program only guesses about the reason: "this may be because there are no credentials". What it says of the
 * failure itself counts before that.
 */
const GUESS =
  /\b(?:(?:this|which|that|it) )?(?:(?:may|might|could) (?:be|have been) (?:because|due to|caused by)|(?:perhaps|maybe|possibly) (?:because|due to)|possible (?:causes?|reasons?):)[^\n]*?(?=[.;](?:\s|$)|\n|$)/gi

const MAY_GUESS = /\b(?:may|might|could|perhaps|maybe|possib\w+)\b/i

/** A text without its guesses, and the guesses; undefined where it makes none, or says nothing else. */
export function withoutGuesses(text: string): { said: string; guessed: string } | undefined {
  if (!MAY_GUESS.test(text)) return undefined
  const guesses = text.match(GUESS)
  if (guesses === null) return undefined
  const said = text.replaceAll(GUESS, '')
  return /\p{L}{3}/u.test(said) ? { said, guessed: guesses.join('\n') } : undefined
}
