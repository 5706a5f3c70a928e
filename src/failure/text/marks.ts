import { codeAt } from './characters.ts'
/**
 * Which kinds of characters a text has, read in one pass. Most patterns need a character that most texts lack, and trying
 * a pattern takes longer than reading the text once.
 */
export const DIGIT = 1
/** `"`, `'`, `` ` `` and the typographic opening quote. */
export const QUOTE = 2
/** `/` and `\`. */
export const SLASH = 4
export const COLON = 8
export const EQUALS = 16
export const DOT = 32
export const AT = 64
export const BRACKET = 128
export const COMMA = 256
export const ESCAPE = 512
/** Line feed and carriage return. */
export const BREAK = 1_024
/** `.`, `!`, `?` and `;`. */
export const STOP = 2_048
export const NOT_ASCII = 4_096
export const BAR = 8_192

const MARKS = new Uint16Array(128)
function set(characters: string, mark: number): void {
  for (const character of characters)
    MARKS[codeAt(character, 0)] = (MARKS[codeAt(character, 0)] as number) | mark
}
set('0123456789', DIGIT)
set('"\'`', QUOTE)
set('/\\', SLASH)
set(':', COLON)
set('=', EQUALS)
set('.', DOT)
set('@', AT)
set('([', BRACKET)
set(',', COMMA)
set('\x1b', ESCAPE)
set('\n\r', BREAK)
set('.!?;', STOP)
set('|', BAR)

export function marksIn(text: string): number {
  let marks = 0
  const { length } = text
  for (let at = 0; at < length; at++) {
    const code = codeAt(text, at)
    marks |= code < 128 ? (MARKS[code] as number) : NOT_ASCII
  }
  return marks
}
