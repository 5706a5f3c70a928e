/** A text decoded, with where each of its characters came from. */
export interface Decoded {
  text: string
  /** `from[i]` is where character `i` begins in the original; one more for the end. */
  from: readonly number[]
}

/**
 * Percent-encoding, escapes of JSON and of markup, colours of a terminal. Only of printable ASCII: names and separators of
 * secrets are nothing else, and a line break stays where it is.
 */
const ENCODED =
  /%([2-7][0-9a-f])|\\u00([2-7][0-9a-f])|&#(\d{2,3});|&#x([2-7][0-9a-f]);|&(quot|amp|apos|lt|gt);|\u001b\[[\d;]{0,20}m/gi
const ENTITIES: Readonly<Record<string, string>> = { quot: '"', amp: '&', apos: "'", lt: '<', gt: '>' }
/** No more than this is decoded; longer texts are searched as they are. */
const LONGEST = 1_000_000

/** The text as a reader would see it; undefined if nothing in it is encoded. */
export function decoded(text: string): Decoded | undefined {
  if (text.length > LONGEST || !mayBeEncoded(text)) return undefined
  let plain = ''
  const from: number[] = []
  let done = 0
  ENCODED.lastIndex = 0
  for (let match = ENCODED.exec(text); match; match = ENCODED.exec(text)) {
    const char = charOf(match)
    if (char === undefined) continue
    for (let at = done; at < match.index; at++) from.push(at)
    plain += text.slice(done, match.index) + char
    if (char !== '') from.push(match.index)
    done = match.index + match[0].length
  }
  if (done === 0) return undefined
  for (let at = done; at <= text.length; at++) from.push(at)
  return { text: plain + text.slice(done), from }
}

function mayBeEncoded(text: string): boolean {
  return text.includes('%') || text.includes('\\u00') || text.includes('&') || text.includes('\u001b')
}

function charOf([all, percent, unicode, decimal, hex, entity]: RegExpExecArray): string | undefined {
  if (entity !== undefined) return ENTITIES[entity.toLowerCase()]
  const digits = percent ?? unicode ?? hex
  if (digits === undefined && decimal === undefined) return all.endsWith('m') ? '' : undefined
  const code = digits === undefined ? Number(decimal) : Number.parseInt(digits, 16)
  return code >= 32 && code < 127 ? String.fromCharCode(code) : undefined
}
