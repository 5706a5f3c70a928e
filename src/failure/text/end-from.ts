/** Marks and the remains of a box before the first word. */
const ORNAMENT = /^(?:(?![[!]|🚨)\W)+/u

/** From the last line that begins in such a way to the end, unless that is more than so many lines. */
export function endFrom(text: string, opening: RegExp, most = 8): string | undefined {
  const lines = text.split('\n').filter(line => line.trim() !== '')
  const at = lines.findLastIndex(line => opening.test(line.replace(ORNAMENT, '')))
  return at < 0 || lines.length - at > most ? undefined : lines.slice(at).join('\n')
}
