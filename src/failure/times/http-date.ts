import type { Clock } from './moment.ts'
import { epochOf, zoneOf } from './zone.ts'

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const CLOCK = String.raw`(?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?<fraction>\.\d{1,9})?)?`
const ZONE = String.raw`(?: ?(?<zone>GMT|UTC|UT|Z|[+-]\d\d:?\d\d))?`

/** HTTP date formats: the usual one, RFC 850, asctime, RFC 3339. */
const FORMS = [
  new RegExp(
    String.raw`^(?:[A-Za-z]{3},? )?(?<day>\d{1,2}) (?<month>[A-Za-z]{3}) (?<year>\d{4}) ${CLOCK}${ZONE}$`,
    'i',
  ),
  new RegExp(
    String.raw`^[A-Za-z]{6,9}, (?<day>\d\d)-(?<month>[A-Za-z]{3})-(?<year>\d\d|\d{4}) ${CLOCK}${ZONE}$`,
    'i',
  ),
  new RegExp(
    String.raw`^(?<asctime>[A-Za-z]{3}) (?<month>[A-Za-z]{3}) {1,2}(?<day>\d{1,2}) ${CLOCK} (?<year>\d{4})$`,
    'i',
  ),
  new RegExp(String.raw`^(?<year>\d{4})-(?<number>\d\d)-(?<day>\d\d)(?:[T ]${CLOCK}${ZONE})?$`, 'i'),
]

/**
 * Parses a date from a header or a field into epoch ms; undefined for anything else. Never uses the machine's time zone:
 * asctime dates are UTC by RFC, other dates without a zone need the caller's.
 */
export function parseHttpDate(value: string, clock: Clock): number | undefined {
  if (value.length > 60) return undefined
  for (const form of FORMS) {
    const groups = form.exec(value.trim())?.groups
    if (groups) return epochOfGroups(groups, clock)
  }
  return undefined
}

function epochOfGroups(groups: Record<string, string | undefined>, clock: Clock): number | undefined {
  const month = groups.number ? Number(groups.number) : MONTHS.indexOf((groups.month ?? '').toLowerCase()) + 1
  const day = Number(groups.day)
  const [hour, minute, second] = [groups.hour, groups.minute, groups.second].map(part => Number(part ?? 0))
  if (month < 1 || month > 12 || day < 1 || day > 31) return undefined
  if ((hour as number) > 24 || (minute as number) > 59 || (second as number) > 60) return undefined
  const time = {
    year: fullYear(Number(groups.year), clock.now),
    month,
    day,
    hour: hour as number,
    minute: minute as number,
    second: second as number,
  }
  const zone = groups.asctime ? 'UTC' : (zoneNamed(groups.zone) ?? clock.timeZone)
  const known = zone === undefined ? undefined : zoneOf(zone)
  if (known === undefined) return undefined
  return epochOf(time, known) + Math.floor(Number(groups.fraction ?? 0) * 1_000)
}

function zoneNamed(zone: string | undefined): string | undefined {
  if (zone === undefined) return undefined
  const offset = /^([+-]\d\d):?(\d\d)$/.exec(zone)
  return offset ? `${offset[1]}:${offset[2]}` : 'UTC'
}

/** A two-digit year is at most fifty years ahead. */
function fullYear(year: number, now: number | undefined): number {
  if (year > 99) return year
  const present = now !== undefined && Math.abs(now) < 8e15 ? new Date(now).getUTCFullYear() : 2000
  const full = present - (present % 100) + year
  return full > present + 50 ? full - 100 : full
}
