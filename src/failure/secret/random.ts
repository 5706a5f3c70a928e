const DIGIT = /\d/
const LOWER = /[a-z]/
const UPPER = /[A-Z]/

/** How many characters to read: longer than any word. */
const LOOKED_AT = 200
const LONG = 16

/**
 * True if a run of characters looks random: letters with digits among them, or capitals among lower-case letters in a long
 * run. Words, function and model names, counts and paths do not.
 *
 * @param least shorter runs do not show enough randomness
 */
export function looksRandom(text: string, least: number): boolean {
  if (text.length < least) return false
  const head = text.slice(0, LOOKED_AT)
  const letters = LOWER.test(head) || UPPER.test(head)
  if (letters && DIGIT.test(head)) return true
  if (head.length < LONG || !LOWER.test(head) || !UPPER.test(head)) return false
  // "ModelQuotaExceeded" changes case at the start of words, a key anywhere.
  return /[a-z][A-Z]{2}[a-z]|[A-Z]{2}[a-z][A-Z]|[a-z][A-Z][a-z][A-Z]|[+/=]/.test(head)
}
