/** The first so many characters of a text; one fewer where the last would be half of a surrogate pair. */
export function cutAt(text: string, length: number): string {
  if (text.length <= length) return text
  return text.slice(0, isFirstHalf(text.charCodeAt(length - 1)) ? length - 1 : length)
}

/** The same from the other end. */
export function cutBefore(text: string, from: number): string {
  return text.slice(isSecondHalf(text.charCodeAt(from)) ? from + 1 : from)
}

function isFirstHalf(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

function isSecondHalf(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}
