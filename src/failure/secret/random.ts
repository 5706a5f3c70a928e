const DIGIT = /\d/
const LOWER = /[a-z]/
const UPPER = /[A-Z]/

/** Longer than the words that people write; no need to look further. */
const LOOKED_AT = 200
const LONG = 16

/**
 * True where a run of characters looks drawn by lot: letters with digits among them, or capitals among small
 * letters in a long run. Words, names of functions and models, counts and paths are none.
 *
 * @param least shorter runs are not random enough to tell
 */
export function looksRandom(text: string, least: number): boolean {
  if (text.length < least) return false
  const head = text.slice(0, LOOKED_AT)
  const letters = LOWER.test(head) || UPPER.test(head)
  if (letters && DIGIT.test(head)) return true
  if (head.length < LONG || !LOWER.test(head) || !UPPER.test(head)) return false
  // "ModelQuotaExceeded" changes its case at the start of words, a key anywhere.
  return /[a-z][A-Z]{2}[a-z]|[A-Z]{2}[a-z][A-Z]|[a-z][A-Z][a-z][A-Z]|[+/=]/.test(head)
}
