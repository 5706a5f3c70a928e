/** A local date and clock time. */
export interface WallTime {
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
}

const ABBREVIATIONS: Record<string, string> = {
  utc: 'UTC',
  gmt: 'UTC',
  z: 'UTC',
  pt: 'America/Los_Angeles',
  pst: 'America/Los_Angeles',
  pdt: 'America/Los_Angeles',
  mst: 'America/Denver',
  mdt: 'America/Denver',
  cst: 'America/Chicago',
  cdt: 'America/Chicago',
  et: 'America/New_York',
  est: 'America/New_York',
  edt: 'America/New_York',
  bst: 'Europe/London',
  cet: 'Europe/Berlin',
  cest: 'Europe/Berlin',
  jst: 'Asia/Tokyo',
  kst: 'Asia/Seoul',
  pacific: 'America/Los_Angeles',
}

const formats = new Map<string, Intl.DateTimeFormat | null>()

/** An Intl time zone, from a name, an abbreviation or an offset; undefined for anything else. */
export function zoneOf(name: string): string | undefined {
  const short = name.toLowerCase()
  const known =
    (Object.hasOwn(ABBREVIATIONS, short) ? ABBREVIATIONS[short] : undefined) ??
    (/^[+-]\d\d:?\d\d$/.test(name) ? name : undefined)
  const zone = known ?? (name.includes('/') || name === 'UTC' ? name : undefined)
  return zone !== undefined && formatOf(zone) ? zone : undefined
}

function formatOf(zone: string): Intl.DateTimeFormat | null {
  const before = formats.get(zone)
  if (before !== undefined) return before
  if (formats.size > 256) formats.clear()
  let format: Intl.DateTimeFormat | null = null
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  } catch {
    // Not a time zone.
  }
  formats.set(zone, format)
  return format
}

/** The local time in a zone at an instant. */
export function wallTimeAt(epochMs: number, zone: string): WallTime {
  const parts: Record<string, number> = {}
  for (const { type, value } of (formatOf(zone) as Intl.DateTimeFormat).formatToParts(epochMs)) {
    if (type !== 'literal') parts[type] = Number(value)
  }
  return parts as unknown as WallTime
}

/** The instant of a local time in a zone; if it occurs twice, the first; if it is skipped, the instant after the gap. */
export function epochOf(time: WallTime, zone: string): number {
  const asUtc = Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second)
  let guess = asUtc
  for (let i = 0; i < 3; i++) {
    const shown = wallTimeAt(guess, zone)
    const shownUtc = Date.UTC(shown.year, shown.month - 1, shown.day, shown.hour, shown.minute, shown.second)
    if (shownUtc === asUtc) break
    guess += asUtc - shownUtc
  }
  return guess
}
