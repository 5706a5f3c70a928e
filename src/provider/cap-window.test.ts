import { describe, expect, it } from 'vitest'
import { windowAt } from './cap-window.ts'

const at = (text: string) => Date.parse(text)
const shown = ({ from, until }: { from: number; until: number }) =>
  [from, until].map(time => new Date(time).toISOString().slice(0, 16))

describe('a window', () => {
  it.each<[string, 'hour' | 'day' | 'month', string, string, [string, string]]>([
    ['an hour of UTC', 'hour', '2026-04-19T10:30:00Z', 'UTC', ['2026-04-19T10:00', '2026-04-19T11:00']],
    ['a day of UTC', 'day', '2026-04-19T10:30:00Z', 'UTC', ['2026-04-19T00:00', '2026-04-20T00:00']],
    ['its very first moment', 'day', '2026-04-19T00:00:00Z', 'UTC', ['2026-04-19T00:00', '2026-04-20T00:00']],
    ['its very last', 'day', '2026-04-19T23:59:59.999Z', 'UTC', ['2026-04-19T00:00', '2026-04-20T00:00']],
    ['a month', 'month', '2026-02-14T10:00:00Z', 'UTC', ['2026-02-01T00:00', '2026-03-01T00:00']],
    [
      'an hour of a zone with a half',
      'hour',
      '2026-04-19T10:10:00Z',
      'Asia/Kolkata',
      ['2026-04-19T09:30', '2026-04-19T10:30'],
    ],
    [
      'a day in Berlin',
      'day',
      '2026-01-10T22:59:00Z',
      'Europe/Berlin',
      ['2026-01-09T23:00', '2026-01-10T23:00'],
    ],
    [
      'a day of 23 hours',
      'day',
      '2026-03-29T12:00:00Z',
      'Europe/Berlin',
      ['2026-03-28T23:00', '2026-03-29T22:00'],
    ],
    [
      'a day of 25 hours',
      'day',
      '2026-10-25T12:00:00Z',
      'Europe/Berlin',
      ['2026-10-24T22:00', '2026-10-25T23:00'],
    ],
    [
      'the hour that is repeated',
      'hour',
      '2026-10-25T01:30:00Z',
      'Europe/Berlin',
      ['2026-10-25T01:00', '2026-10-25T02:00'],
    ],
    [
      'and the one it repeats',
      'hour',
      '2026-10-25T00:30:00Z',
      'Europe/Berlin',
      ['2026-10-25T00:00', '2026-10-25T01:00'],
    ],
    [
      'a day whose midnight is skipped',
      'day',
      '2026-03-29T12:00:00Z',
      'Asia/Beirut',
      ['2026-03-28T22:00', '2026-03-29T21:00'],
    ],
    [
      'the day before it',
      'day',
      '2026-03-28T21:30:00Z',
      'Asia/Beirut',
      ['2026-03-27T22:00', '2026-03-28T22:00'],
    ],
    [
      'a day with two midnights',
      'day',
      '2026-11-01T18:00:00Z',
      'America/Havana',
      ['2026-11-01T04:00', '2026-11-02T05:00'],
    ],
    [
      'a month with a change of the clock',
      'month',
      '2026-03-31T21:59:59Z',
      'Europe/Berlin',
      ['2026-02-28T23:00', '2026-03-31T22:00'],
    ],
  ])('is %s', (_title, per, now, zone, expected) => {
    expect(shown(windowAt(per, at(now), zone))).toEqual(expected)
  })

  it('of a duration ends now', () => {
    expect(shown(windowAt(5 * 3_600_000, at('2026-01-01T12:00:00Z'), 'UTC'))).toEqual([
      '2026-01-01T07:00',
      '2026-01-01T12:00',
    ])
  })

  it('follows the previous one without gap or overlap, in every zone, over a whole year', () => {
    for (const zone of ['UTC', 'Europe/Berlin', 'America/Havana', 'Asia/Beirut', 'Asia/Kathmandu']) {
      let frame = windowAt('day', at('2026-01-01T12:00:00Z'), zone)
      for (let day = 0; day < 366; day++) {
        const next = windowAt('day', frame.until, zone)
        expect(next.from).toBe(frame.until)
        frame = next
      }
    }
  })
})
