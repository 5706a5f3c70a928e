/** Shortens a text to `most` UTF-16 units, never splitting a character; an ellipsis marks the cut. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  if (most < 1) return ''
  let end = most - 1
  const last = text.charCodeAt(end - 1)
  if (last >= 0xd800 && last <= 0xdbff) end--
  return `${text.slice(0, end)}…`
}
