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
