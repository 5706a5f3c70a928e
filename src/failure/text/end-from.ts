/** Symbols and box remains before the first word. */
const ORNAMENT = /^(?:(?![[!]|🚨)\W)+/u

/** The text from the last line that matches `opening` to the end; undefined if that is more than `most` lines. */
export function endFrom(text: string, opening: RegExp, most = 8): string | undefined {
  const lines = text.split('\n').filter(line => line.trim() !== '')
  const at = lines.findLastIndex(line => opening.test(line.replace(ORNAMENT, '')))
  return at < 0 || lines.length - at > most ? undefined : lines.slice(at).join('\n')
}
