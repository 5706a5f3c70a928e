const UNIT_MS: Record<string, number> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/** One number with its unit, in every spelling seen: `174ms`, `7.5s`, `2 hours`, `5 mins`. */
const PART =
  /(\d{1,9}(?:\.\d{1,9})?)\s?(ms|msecs?|millis(?:econds?)?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)(?![a-z])/gi

/**
 * A length of time as vendors write it (`18.642s`, `6m0s`, `161h39m41.3s`, `3 hours 2 minutes`, `~30s`), in
 * milliseconds; undefined if the text is none. A bare number counts as seconds only where `bare` allows it.
 */
export function parseDuration(text: string, { bare = false } = {}): number | undefined {
  const source = text.trim().replace(/^(?:~|about |approximately |around |less than |under )/i, '')
  if (bare && /^\d{1,9}(?:\.\d{1,9})?$/.test(source)) return Number(source) * 1_000
  if (/^an? (?:few )?(?:minute|hour|day)s?\b/i.test(source)) return undefined
  let total = 0
  let found = false
  for (const [, amount, unit] of source.matchAll(PART)) {
    total += Number(amount) * (UNIT_MS[unitOf(unit as string)] as number)
    found = true
  }
  return found ? total : undefined
}

function unitOf(word: string): string {
  const lower = word.toLowerCase()
  return lower.startsWith('ms') || lower.startsWith('mil') ? 'ms' : (lower[0] as string)
}

/** Matches the longest run of amounts at the start of a text, for use inside larger patterns. */
export const DURATION_SOURCE =
  '(?:~|about |approximately |around )?\\d{1,9}(?:\\.\\d{1,9})?\\s?(?:ms|msecs?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)(?![a-z])(?:(?:,|\\s|\\sand\\s)*\\d{1,9}(?:\\.\\d{1,9})?\\s?(?:ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)(?![a-z]))*'
