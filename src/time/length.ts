const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const

/** A length as people write it in config and flags: "500ms", "10m", "1h30m", "7d". Larger units come first. */
export const LENGTH_PATTERN =
  /^(?=\d)(?:\d+(?:\.\d+)?w)?(?:\d+(?:\.\d+)?d)?(?:\d+(?:\.\d+)?h)?(?:\d+(?:\.\d+)?m)?(?:\d+(?:\.\d+)?s)?(?:\d+ms)?$/

/** What a length looks like, for messages. */
export const LENGTH_EXAMPLES = '"500ms", "30s", "10m", "1h30m" or "7d"'

/**
 * Milliseconds of a length such as "1h30m", rounded to a whole number; undefined if it is none. Units are w, d, h,
 * m (minutes), s and ms, each at most once and the larger ones first. A bare "0" is a length too.
 */
export function parseLength(text: string): number | undefined {
  if (text === '0') return 0
  if (text.length > 60 || !LENGTH_PATTERN.test(text)) return undefined
  let total = 0
  for (const [, amount, unit] of text.matchAll(/([\d.]+)([a-z]+)/g)) {
    total += Number(amount) * UNITS[unit as keyof typeof UNITS]
  }
  return total <= Number.MAX_SAFE_INTEGER ? Math.round(total) : undefined
}

/** Milliseconds as a length that {@link parseLength} reads back: 5400000 is "1h30m". */
export function lengthText(ms: number): string {
  let rest = Math.round(ms)
  let text = ''
  for (const unit of ['d', 'h', 'm', 's', 'ms'] as const) {
    const whole = Math.floor(rest / UNITS[unit])
    if (whole > 0) text += `${whole}${unit}`
    rest -= whole * UNITS[unit]
  }
  return text === '' ? '0s' : text
}
