import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseMoment } from './moment.ts'
import { epochOf, wallTimeAt } from './zone.ts'

const now = Date.parse('2026-10-05T14:00:00Z')
const at = (iso: string) => Date.parse(iso)

describe('parseMoment', () => {
  it.each([
    ['3am (Europe/Berlin)', '2026-10-06T01:00:00Z'],
    ['4:50pm (Europe/London)', '2026-10-05T15:50:00Z'],
    ['2pm (America/New_York)', '2026-10-05T18:00:00Z'],
    ['12am (UTC)', '2026-10-06T00:00:00Z'],
    ['12pm UTC', '2026-10-06T12:00:00Z'],
    ['00:00 UTC', '2026-10-06T00:00:00Z'],
    ['midnight UTC', '2026-10-06T00:00:00Z'],
    ['Oct 9, 3pm (Asia/Calcutta)', '2026-10-09T09:30:00Z'],
    ['October 9th, 2026 1:36 PM UTC', '2026-10-09T13:37:00Z'],
    ['on October 9, 2026 at 3:00 PM (UTC)', '2026-10-09T15:00:00Z'],
    ['9 Oct 2026 15:00 UTC', '2026-10-09T15:00:00Z'],
    ['2026-10-09 00:00 UTC', '2026-10-09T00:00:00Z'],
    ['2026-10-09T15:00:00Z', '2026-10-09T15:00:00Z'],
    ['2026-10-09T15:00:00+02:00', '2026-10-09T13:00:00Z'],
    ['2026-10-09 at 00:00 UTC', '2026-10-09T00:00:00Z'],
    ['10-27 09:25:00 UTC', '2026-10-27T09:25:00Z'],
    ['Fri, 09 Oct 2026 07:28:00 GMT', '2026-10-09T07:28:00Z'],
    ['Monday at 9:00 AM (UTC)', '2026-10-12T09:00:00Z'],
    ['Thu 10:59 PM (UTC)', '2026-10-08T23:00:00Z'],
    ['Thu 10:59:07 PM (UTC)', '2026-10-08T22:59:07Z'],
    ['2:47 PM (UTC)', '2026-10-05T14:48:00Z'],
    ['2:45 PM (UTC)', '2026-10-05T14:45:00Z'],
    ['tomorrow at 9am (UTC)', '2026-10-06T09:00:00Z'],
    ['5pm PT', '2026-10-06T00:00:00Z'],
  ])('reads %s', (text, iso) => {
    const moment = parseMoment(text, now, {})
    expect(moment === undefined ? undefined : new Date(moment).toISOString()).toBe(
      new Date(iso).toISOString(),
    )
  })

  it.each(['3am', 'Oct 9, 3pm', '2026-10-09 02:06:16', 'May 11th, 2027 1:36 PM', '10/17/2026'])(
    'needs a zone for %s',
    text => {
      expect(parseMoment(text, now, {})).toBeUndefined()
      expect(parseMoment(text, now, { timeZone: 'Europe/Berlin' })).toBeTypeOf('number')
    },
  )

  it('takes a time of this very minute for its end, unless it says the second', () => {
    const later = now + 20_000
    const end = at('2026-10-05T14:01:00Z')
    for (const text of ['2pm (UTC)', '14:00 (UTC)', 'Oct 5, 2pm (UTC)', 'Monday at 2:00 PM (UTC)'])
      expect(parseMoment(text, later, {})).toBe(end)
    expect(parseMoment('14:00:00 (UTC)', later, {})).toBe(at('2026-10-06T14:00:00Z'))
  })

  it('takes a time already past today for tomorrow, and a date already past for next year', () => {
    expect(parseMoment('1:59pm (UTC)', now, {})).toBe(at('2026-10-06T14:00:00Z'))
    expect(parseMoment('Jan 30, 11:30am (UTC)', now, {})).toBe(at('2027-01-30T11:30:00Z'))
    expect(parseMoment('Jan 30, 11:31am (UTC)', now, {})).toBe(at('2027-01-30T11:32:00Z'))
    expect(parseMoment('Monday at 1:31 PM (UTC)', now, {})).toBe(at('2026-10-12T13:32:00Z'))
  })

  it.each(['', 'soon', 'later', '25 apples', '13pm (UTC)', '3am (Mars/Olympus)', '2026-13-45 00:00 UTC'])(
    'finds no time in %j',
    text => {
      expect(parseMoment(text, now, {})).toBeUndefined()
    },
  )

  it('keeps the clock time across a change to winter time', () => {
    const before = Date.parse('2026-10-25T00:30:00Z')
    expect(parseMoment('3:30am (Europe/Berlin)', before, {})).toBe(at('2026-10-25T02:30:00Z'))
  })

  it('never throws on any text', () => {
    fc.assert(fc.property(fc.string(), text => void parseMoment(text, now, { timeZone: 'UTC' })))
  })
})

describe('zones', () => {
  it('turn a wall time into the instant that shows it', () => {
    const zone = fc.constantFrom(
      'UTC',
      'Europe/Berlin',
      'America/New_York',
      'Asia/Kolkata',
      'Australia/Lord_Howe',
      'Pacific/Chatham',
    )
    fc.assert(
      fc.property(fc.integer({ min: 946_684_800, max: 4_102_444_800 }), zone, (seconds, name) => {
        const shown = wallTimeAt(seconds * 1_000, name)
        expect(wallTimeAt(epochOf(shown, name), name)).toEqual(shown)
      }),
    )
  })
})
