import { epochOf, type WallTime, wallTimeAt, zoneOf } from './zone.ts'

/** What the caller knows about the time. `timeZone` is read only if a text needs it. */
export interface Clock {
  readonly now?: number | undefined
  readonly timeZone?: string | undefined
}

/**
 * Parses a point in time as people write it, at the start of a text: `3am (Europe/Berlin)`, `Aug 9, 3pm`,
 * `May 11th, 2026 1:36 PM`, `2026-08-09 00:00 UTC`, `Monday at 9:00 AM`, `07-27 09:25:00 UTC`, `11/17/2025`.
 *
 * @param now epoch ms; a time without a date means the next such moment after it
 * @param clock gives the zone for a time that names none; without a zone, such a time is ignored
 */
export function parseMoment(text: string, now: number, clock: Clock): number | undefined {
  const source = text.trim().replace(/^(?:on|at|until|by)\s+/i, '')
  const instant = parseInstant(source)
  if (instant !== undefined) return instant
  for (const form of FORMS) {
    const match = form.pattern.exec(source)
    if (!match) continue
    const zone = zoneIn(source.slice(match[0].length)) ?? clock.timeZone
    if (zone === undefined || zoneOf(zone) === undefined) return undefined
    return form.read(match.groups as Groups, now, zone)
  }
  return undefined
}

/** RFC 3339 with an offset, an HTTP date, or a JavaScript date string. */
function parseInstant(source: string): number | undefined {
  const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)/.exec(source)
  const http = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/.exec(source)
  const script = /^[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d{4} \d\d:\d\d:\d\d GMT[+-]\d{4}/.exec(source)
  const found = iso?.[0] ?? http?.[0] ?? script?.[0]
  if (!found) return undefined
  const parsed = Date.parse(found)
  return Number.isNaN(parsed) ? undefined : parsed
}

type Groups = Record<string, string | undefined>

const CLOCK = String.raw`(?<hour>\d{1,2})(?::(?<minute>\d\d))?(?::(?<second>\d\d))?(?:\.\d+)?\s?(?<half>[ap]\.?m\.?)?`
const STRICT_CLOCK = String.raw`(?:(?<hour>\d{1,2})(?::(?<minute>\d\d))?(?::(?<second12>\d\d))?\s?(?<half>[ap]\.?m\.?)|(?<hour24>\d{1,2}):(?<minute24>\d\d)(?::(?<second>\d\d))?|(?<midnight>midnight))`
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const MONTH = String.raw`(?<month>${MONTHS.join('|')})[a-z]*\.?`

const FORMS: { pattern: RegExp; read: (groups: Groups, now: number, zone: string) => number | undefined }[] =
  [
    {
      pattern: new RegExp(
        String.raw`^(?<year>\d{4})[-/](?<monthNumber>\d\d)[-/](?<day>\d\d)(?:[T ,]+(?:at )?${CLOCK})?`,
        'i',
      ),
      read: readDate,
    },
    {
      pattern: new RegExp(
        String.raw`^${MONTH} (?<day>\d{1,2})(?:st|nd|rd|th)?(?:,? (?<year>\d{4}))?(?:,? (?:at )?${CLOCK})?`,
        'i',
      ),
      read: readDate,
    },
    {
      pattern: new RegExp(
        String.raw`^(?<day>\d{1,2})(?:st|nd|rd|th)? ${MONTH}(?:,? (?<year>\d{4}))?(?:,? (?:at )?${CLOCK})?`,
        'i',
      ),
      read: readDate,
    },
    {
      pattern: new RegExp(
        String.raw`^(?<monthNumber>\d{1,2})\/(?<day>\d{1,2})\/(?<year>\d{4}|\d\d)(?!\d)(?:,? (?:at )?${CLOCK})?`,
        'i',
      ),
      read: readDate,
    },
    {
      pattern: /^(?<monthNumber>\d\d)-(?<day>\d\d) (?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d))?/,
      read: readDate,
    },
    {
      pattern: new RegExp(
        String.raw`^(?<weekday>${DAYS.join('|')})[a-z]*\.?,?(?: (?:at )?${STRICT_CLOCK})?`,
        'i',
      ),
      read: readWeekday,
    },
    {
      pattern: new RegExp(`^(?<tomorrow>tomorrow)(?:,? (?:at )?${STRICT_CLOCK})?`, 'i'),
      read: readClock,
    },
    { pattern: new RegExp(`^${STRICT_CLOCK}`, 'i'), read: readClock },
  ]

/** The time zone named right after a time, in brackets or bare. */
function zoneIn(rest: string): string | undefined {
  const offset = /^\s*\(?\s*(?:UTC|GMT)([+-])(\d{1,2})(?::?(\d\d))?\b/i.exec(rest)
  if (offset) return zoneOf(`${offset[1]}${(offset[2] as string).padStart(2, '0')}:${offset[3] ?? '00'}`)
  const named = /^\s*\(?\s*([A-Za-z]+(?:\/[A-Za-z0-9_+-]+)+|[+-]\d\d:?\d\d|[A-Za-z]{1,7})\b/.exec(rest)?.[1]
  return named === undefined ? undefined : zoneOf(named)
}

function clockOf(groups: Groups): { hour: number; minute: number; second: number } | undefined {
  if (groups.midnight) return { hour: 0, minute: 0, second: 0 }
  let hour = Number(groups.hour ?? groups.hour24 ?? 0)
  const minute = Number(groups.minute ?? groups.minute24 ?? 0)
  const half = groups.half?.toLowerCase()[0]
  if (half && (hour < 1 || hour > 12)) return undefined
  if (half === 'p' && hour < 12) hour += 12
  if (half === 'a' && hour === 12) hour = 0
  return hour > 24 || minute > 59 ? undefined : { hour, minute, second: Number(secondOf(groups) ?? 0) }
}

function readDate(groups: Groups, now: number, zone: string): number | undefined {
  const clock = clockOf(groups)
  const month = groups.month ? MONTHS.indexOf(groups.month.toLowerCase()) + 1 : Number(groups.monthNumber)
  const day = Number(groups.day)
  if (!clock || month < 1 || month > 12 || day < 1 || day > 31) return undefined
  const year = groups.year ? fullYear(groups.year) : wallTimeAt(now, zone).year
  const moment = notBefore(now, epochOf({ year, month, day, ...clock }, zone), groups)
  if (groups.year || moment >= now) return moment
  return epochOf({ year: year + 1, month, day, ...clock }, zone) + leftOut(groups)
}

const MINUTE_MS = 60_000

/**
 * A time without seconds is any moment of its minute: in the middle of that minute its end is meant, not the same time
 * of another day.
 */
function notBefore(now: number, moment: number, groups: Groups): number {
  const isOfThisMinute = secondOf(groups) === undefined && moment <= now && now < moment + MINUTE_MS
  return isOfThisMinute ? moment + MINUTE_MS : moment + leftOut(groups)
}

/** What a program left out when it printed 2:47 for 2:47:31: a try at 2:47:00 would be refused. A round time is exact. */
function leftOut(groups: Groups): number {
  const minute = Number(groups.minute ?? groups.minute24 ?? 0)
  return secondOf(groups) === undefined && minute % 5 !== 0 ? MINUTE_MS : 0
}

function secondOf(groups: Groups): string | undefined {
  return groups.second ?? groups.second12
}

function fullYear(year: string): number {
  return year.length === 2 ? 2_000 + Number(year) : Number(year)
}

function readClock(groups: Groups, now: number, zone: string): number | undefined {
  const clock = clockOf(groups)
  if (!clock) return undefined
  const today = wallTimeAt(now, zone)
  const moment = notBefore(now, epochOf({ ...today, ...clock }, zone), groups)
  if (!groups.tomorrow && moment > now) return moment
  return epochOf({ ...plusDays(today, 1), ...clock }, zone) + leftOut(groups)
}

function readWeekday(groups: Groups, now: number, zone: string): number | undefined {
  const clock = clockOf(groups)
  if (!clock) return undefined
  const today = wallTimeAt(now, zone)
  const from = new Date(Date.UTC(today.year, today.month - 1, today.day)).getUTCDay()
  const wanted = DAYS.indexOf((groups.weekday as string).slice(0, 3).toLowerCase())
  const ahead = (wanted - from + 7) % 7
  const moment = notBefore(now, epochOf({ ...plusDays(today, ahead), ...clock }, zone), groups)
  if (moment > now) return moment
  return epochOf({ ...plusDays(today, ahead + 7), ...clock }, zone) + leftOut(groups)
}

function plusDays(time: WallTime, days: number): WallTime {
  const date = new Date(Date.UTC(time.year, time.month - 1, time.day + days))
  return { ...time, year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}
