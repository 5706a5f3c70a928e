/** What the tokenizer needs to know about a UTF-16 unit. */
export const OTHER = 0
export const LOWER = 1
export const UPPER = 2
export const DIGIT = 3
export const IDEOGRAPH = 4
export const APOSTROPHE = 5

/** The kind of every UTF-16 unit. A table, because the tokenizer looks up each character of each text. */
export const KIND = new Uint8Array(65_536)
/** What to add to a unit, modulo 65,536, to get the form in which words are compared. Zero for most. */
const TO_FOLDED = new Uint16Array(65_536)

KIND.fill(LOWER, 97, 123)
KIND.fill(UPPER, 65, 91)
KIND.fill(DIGIT, 48, 58)
KIND[39] = APOSTROPHE
KIND[0x2019] = APOSTROPHE
KIND.fill(IDEOGRAPH, 0x3040, 0x30fb)
KIND.fill(IDEOGRAPH, 0x3100, 0xa000)
KIND.fill(IDEOGRAPH, 0xac00, 0xd7a4)
foreignLetters(0xc0, 0x250)
foreignLetters(0x370, 0x530)
// Hebrew, Arabic and the scripts of India, with the marks inside of their words.
KIND.fill(LOWER, 0x591, 0x5f3)
KIND.fill(LOWER, 0x610, 0x66a)
KIND.fill(LOWER, 0x66e, 0x6d4)
KIND.fill(LOWER, 0x900, 0x964)
KIND.fill(LOWER, 0x970, 0xe00)
// Thai, Lao and Khmer are written without spaces.
KIND.fill(IDEOGRAPH, 0xe01, 0xf00)
KIND.fill(IDEOGRAPH, 0x1780, 0x17d4)
// × and ÷ lie in the range of Latin letters.
KIND[0xd7] = OTHER
KIND[0xf7] = OTHER
TO_FOLDED.fill(32, 65, 91)
for (let code = 0xff01; code < 0xff5f; code++) {
  KIND[code] = KIND[code - 0xfee0] as number
  TO_FOLDED[code] = folded(code - 0xfee0) - code
}

/** Accented Latin, Greek, Cyrillic: their capitals do not split words. */
function foreignLetters(from: number, to: number): void {
  KIND.fill(LOWER, from, to)
  for (let code = from; code < to; code++)
    TO_FOLDED[code] = String.fromCharCode(code).toLowerCase().charCodeAt(0) - code
}

/** A unit in the form in which words are compared: lower case, half width. */
export function folded(code: number): number {
  return (code + (TO_FOLDED[code] as number)) & 0xffff
}

export function isLetter(code: number): boolean {
  return KIND[code] === LOWER || KIND[code] === UPPER
}

const { charCodeAt } = String.prototype

/**
 * The UTF-16 unit at a place within the text. For loops: V8 keeps strings in many forms, and once a loop has met five of them,
 * `text.charCodeAt` looks up the method for each character, which takes four times as long. A place outside of the text, asked for
 * once, would make all calls as slow.
 */
export function codeAt(text: string, at: number): number {
  return charCodeAt.call(text, at)
}
