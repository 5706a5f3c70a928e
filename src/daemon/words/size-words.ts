const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** A number of bytes for people: "812 B", "1.4 MB". */
export function sizeInWords(bytes: number): string {
  let size = bytes
  let unit = 0
  // 999.6 kB would round to 1000 kB, so it becomes 1.0 MB.
  for (; Math.round(size) >= 1_000 && unit < UNITS.length - 1; unit++) size /= 1_000
  return `${unit > 0 && size < 99.95 ? size.toFixed(1) : Math.round(size)} ${UNITS[unit]}`
}
