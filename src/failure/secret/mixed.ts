import { codeAt } from '../text/characters.ts'

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

/** The least share of neighbours of different kinds in a random run; in words it is a fraction of that. */
const LEAST_CHANGES = 0.34

/** Per character: 1 for lower case, 2 for capitals, 4 for digits, 0 for others, 8 for what ends a piece: `:`, `/` and `=`. */
export const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code)
  if (/[a-z]/.test(char)) return 1
  if (/[A-Z]/.test(char)) return 2
  if (/\d/.test(char)) return 4
  return /[:/=]/.test(char) ? 8 : 0
})

export interface Mixture {
  /** How many of lower case, capitals and digits occur. */
  kinds: number
  isMixed: boolean
}

const NONE: Mixture = { kinds: 0, isMixed: false }

/** Whether a run of letters and digits changes between them as only random ones do. `-` and `_` are passed over. */
export function mixtureOf(text: string, from: number, to: number): Mixture {
  let changes = 0
  let length = 0
  let last = 0
  let seen = 0
  let digits = 0
  for (let at = from; at < to; at++) {
    const kind = (KINDS[codeAt(text, at)] as number) & 7
    if (kind === 0) continue
    length++
    seen |= kind
    if (kind !== last && last !== 0) changes++
    if (kind === 4 && last !== 4) digits++
    last = kind
  }
  if (length === 0) return NONE
  const kinds = (seen & 1) + ((seen >> 1) & 1) + (seen >> 2)
  const isRandom = changes >= length * (kinds === 3 ? LEAST_CHANGES : 0.22)
  return { kinds, isMixed: kinds > 1 && isRandom && (digits > 1 || isUncased(text.slice(from, to))) }
}

/** Capitals where no word begins: `GetUserById` changes case at the start of words, a key anywhere. */
export function isUncased(text: string): boolean {
  return /[a-z][A-Z]{2}[a-z]|[A-Z]{2}[a-z][A-Z]|[a-z][A-Z][a-z][A-Z]/.test(text)
}
