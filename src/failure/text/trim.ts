/** Characters of one text that are looked at: error texts stand at the end, banners that name the tool at the start. */
export const TEXT_LIMIT = 65_536
const HEAD = 8_192

/** Keeps the head and the tail of a text that is too long, so that a gigabyte costs what 64 KB cost. */
export function trim(text: string, limit: number = TEXT_LIMIT): string {
  if (text.length <= limit) return text
  const head = Math.min(HEAD, limit >> 3)
  const from = text.length - (limit - head)
  const line = text.indexOf('\n', from)
  const tail = line >= 0 && line - from < 4_096 ? line + 1 : from
  return `${text.slice(0, head)}\n${text.slice(tail)}`
}
