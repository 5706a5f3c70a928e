import { wallTimeAt } from '../failure/times/zone.ts'
import type { Cap } from './settings.ts'
import type { Span } from './span.ts'

const SECOND = 1_000
const HOUR = 3_600_000
const DAY = 24 * HOUR

/**
 * The window of a cap that contains `now`. Hours, days and months follow the zone's local clock, so a day of 23 or 25 hours is
 * one day. A window given as a duration rolls: it ends now.
 */
export function windowAt(per: Cap['per'], now: number, zone: string): Span {
  switch (per) {
    case 'hour': {
      // Counted from the minutes, so the hour repeated by a clock change is a window of its own.
      const { minute, second } = wallTimeAt(now, zone)
      const from = Math.floor(now / SECOND) * SECOND - (minute * 60 + second) * SECOND
      return { from, until: from + HOUR }
    }
    case 'day':
      return between(now, 26 * HOUR, at => dayNumber(at, zone))
    case 'month':
      return between(now, 32 * DAY, at => monthNumber(at, zone))
    default:
      return { from: now - per, until: now }
  }
}

/** From the first second with the same number as `now` to the first with a later one. */
function between(now: number, longest: number, numberOf: (at: number) => number): Span {
  const number = numberOf(now)
  return {
    from: firstSecond(now - longest, now, at => numberOf(at) >= number),
    until: firstSecond(now, now + longest, at => numberOf(at) > number),
  }
}

/** Binary search: `isThere` is false at `low`, true at `high`, and changes once in between. */
function firstSecond(low: number, high: number, isThere: (at: number) => boolean): number {
  let before = Math.floor(low / SECOND)
  let after = Math.ceil(high / SECOND)
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (isThere(middle * SECOND)) after = middle
    else before = middle
  }
  return after * SECOND
}

function dayNumber(at: number, zone: string): number {
  const { year, month, day } = wallTimeAt(at, zone)
  return year * 10_000 + month * 100 + day
}

function monthNumber(at: number, zone: string): number {
  const { year, month } = wallTimeAt(at, zone)
  return year * 100 + month
}
