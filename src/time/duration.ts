const UNITS: Record<string, number> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/** Valid durations, for messages. */
export const DURATION_EXAMPLES = '"500ms", "90s", "10m", "1h30m", "7d"'

/** Parses a duration as written in flags and files, such as "1h30m", into milliseconds; undefined if it is invalid. */
export function parseDuration(text: string): number | undefined {
  const compact = text.trim().toLowerCase()
  if (compact.length > 40 || !/^(?:\d+(?:\.\d+)?(?:ms|min|[smhdw])\s*)+$/.test(compact)) return undefined
  let ms = 0
  for (const [, amount, unit] of compact.matchAll(/(\d+(?:\.\d+)?)(ms|min|[smhdw])/g))
    ms += Number(amount) * (UNITS[unit as string] as number)
  return ms
}

/** A duration as written in flags and files: exact, in the largest units. */
export function formatDuration(ms: number): string {
  let rest = Math.round(ms)
  const parts: string[] = []
  for (const unit of ['d', 'h', 'm', 's', 'ms']) {
    const size = UNITS[unit] as number
    const count = Math.floor(rest / size)
    if (count > 0) parts.push(`${count}${unit}`)
    rest -= count * size
  }
  return parts.join('') || '0s'
}
