const WHOLE = new Intl.NumberFormat(undefined)
const SHORT = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })

/** A count for people: `12,043`. */
export function countInWords(count: number): string {
  return WHOLE.format(count)
}

/** A count for narrow places: `1.2M`. */
export function countInShort(count: number): string {
  return count < 10_000 ? WHOLE.format(count) : SHORT.format(count)
}

/** How many of what: `1 operation`, `2 operations`. */
export function manyOf(count: number, one: string, many = `${one}s`): string {
  return `${countInWords(count)} ${count === 1 ? one : many}`
}

/** How often something was seen: `Seen once`, `Seen 5 times`. */
export function seenInWords(count: number): string {
  return `Seen ${count === 1 ? 'once' : manyOf(count, 'time')}`
}

/** US dollars; small amounts with as many digits as they need. */
export function usdInWords(usd: number): string {
  if (usd === 0) return '$0'
  const digits = usd < 0.01 ? 4 : usd < 1 ? 3 : 2
  return `$${usd.toFixed(digits)}`
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** A size for people: `1.4 MB`. */
export function bytesInWords(bytes: number): string {
  let size = bytes
  let unit = 0
  for (; Math.round(size) >= 1_000 && unit < UNITS.length - 1; unit++) size /= 1_000
  return `${unit > 0 && size < 99.95 ? size.toFixed(1) : Math.round(size)} ${UNITS[unit]}`
}
