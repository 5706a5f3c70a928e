/** What the tokenizer needs to know about a UTF-16 unit. */
export const OTHER = 0
export const LOWER = 1
export const UPPER = 2
export const DIGIT = 3
export const IDEOGRAPH = 4
export const APOSTROPHE = 5

const KIND_OF_ASCII = new Uint8Array(128)
for (let code = 0; code < 128; code++) {
  if (code >= 97 && code <= 122) KIND_OF_ASCII[code] = LOWER
  else if (code >= 65 && code <= 90) KIND_OF_ASCII[code] = UPPER
  else if (code >= 48 && code <= 57) KIND_OF_ASCII[code] = DIGIT
  else if (code === 39) KIND_OF_ASCII[code] = APOSTROPHE
}

export function kindOf(code: number): number {
  if (code < 128) return KIND_OF_ASCII[code] as number
  if (code === 0x2019) return APOSTROPHE
  if (isFullWidth(code)) return KIND_OF_ASCII[code - 0xfee0] as number
  if (code >= 0x3040 && code <= 0x9fff) return code >= 0x30fb && code <= 0x30ff ? OTHER : IDEOGRAPH
  if (code >= 0xac00 && code <= 0xd7a3) return IDEOGRAPH
  return isForeignLetter(code) ? LOWER : OTHER
}

/** The unit in the one form that words are compared in: lower case, half width. */
export function fold(code: number): number {
  if (code >= 65 && code <= 90) return code + 32
  if (code < 128) return code
  if (isFullWidth(code)) return fold(code - 0xfee0)
  return String.fromCharCode(code).toLowerCase().charCodeAt(0)
}

export function isLetter(code: number): boolean {
  const kind = kindOf(code)
  return kind === LOWER || kind === UPPER
}

function isFullWidth(code: number): boolean {
  return code >= 0xff01 && code <= 0xff5e
}

/** Latin with accents, Greek and Cyrillic; × and ÷ stand between the Latin letters. */
function isForeignLetter(code: number): boolean {
  if (code >= 0xc0 && code <= 0x24f) return code !== 0xd7 && code !== 0xf7
  return code >= 0x370 && code <= 0x52f
}
