/** A list as a part of a sentence: `a`, `a and b`, `a, b and c`. */
export function listInWords(words: readonly string[]): string {
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}
