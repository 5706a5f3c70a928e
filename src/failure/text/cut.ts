/** The first `length` characters of a text; one fewer if the cut would split a surrogate pair. */
export function cutAt(text: string, length: number): string {
  if (text.length <= length) return text
  return text.slice(0, isFirstHalf(text.charCodeAt(length - 1)) ? length - 1 : length)
}

/** The text from `from` on; one character fewer if the cut would split a surrogate pair. */
export function cutBefore(text: string, from: number): string {
  return text.slice(isSecondHalf(text.charCodeAt(from)) ? from + 1 : from)
}

function isFirstHalf(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

function isSecondHalf(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}

/** How many characters of one text are read: errors stand at the end, banners that name the tool at the start. */
export const TEXT_LIMIT = 65_536
const HEAD = 8_192

/** Keeps the head and the tail of a long text, so a gigabyte costs no more than 64 KB. */
export function trim(text: string, limit: number = TEXT_LIMIT): string {
  if (text.length <= limit) return text
  const head = Math.min(HEAD, limit >> 3)
  const from = text.length - (limit - head)
  const line = text.indexOf('\n', from)
  const tail = line >= 0 && line - from < REACH ? line + 1 : afterWord(text, from)
  return `${cutAt(text, beforeWord(text, head))}\n${cutBefore(text, tail)}`
}

/** How far to move a cut so it does not split a word: half a key would not be recognised as one. */
const REACH = 4_096

function beforeWord(text: string, at: number): number {
  const least = Math.max(0, at - REACH)
  let cut = at
  while (cut > least && isKeyPart(text.charCodeAt(cut - 1))) cut--
  return cut > least ? cut : at
}

function afterWord(text: string, at: number): number {
  const most = Math.min(text.length, at + REACH)
  let cut = at
  while (cut < most && isKeyPart(text.charCodeAt(cut))) cut++
  return cut < most ? cut : at
}

/** Letters, digits and the separators in keys: + - . / = _ ~. */
function isKeyPart(code: number): boolean {
  if (code >= 45 && code <= 57) return true
  if ((code >= 65 && code <= 90) || (code >= 97 && code <= 122)) return true
  return code === 43 || code === 61 || code === 95 || code === 126
}

/** Symbols and box remains before the first word. */
const ORNAMENT = /^(?:(?![[!]|🚨)\W)+/u

/** The text from the last line that matches `opening` to the end; undefined if that is more than `most` lines. */
export function endFrom(text: string, opening: RegExp, most = 8): string | undefined {
  const lines = text.split('\n').filter(line => line.trim() !== '')
  const at = lines.findLastIndex(line => opening.test(line.replace(ORNAMENT, '')))
  return at < 0 || lines.length - at > most ? undefined : lines.slice(at).join('\n')
}
