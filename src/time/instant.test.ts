import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseInstant } from './instant.ts'

describe('a point in time', () => {
  it.each<[string, string]>([
    ['2026-11-15T20:00:00Z', '2026-11-15T20:00:00.000Z'],
    ['2026-11-15t20:00:00.25z', '2026-11-15T20:00:00.250Z'],
    ['2026-11-15T20:00+02:00', '2026-11-15T18:00:00.000Z'],
    ['2026-11-15 20:00:00Z', '2026-11-15T20:00:00.000Z'],
    [' 2028-02-29 ', '2028-02-29T00:00:00.000Z'],
  ])('is read from %j', (text, iso) => {
    expect(new Date(parseInstant(text) ?? Number.NaN).toISOString()).toBe(iso)
  })

  it.each([
    '10',
    '5',
    '2026',
    'in 10',
    'soon 5',
    '10:00',
    '1763236800',
    '2026-13-01',
    '2026-02-30',
    '2026-02-30T00:00:00Z',
    '2026-11-15T25:00:00Z',
    '15.11.2026',
    'Nov 15 2026',
    '',
  ])('is not %j', text => {
    expect(parseInstant(text)).toBeUndefined()
  })

  it('without a zone is one of this machine', () => {
    expect(parseInstant('2026-11-15 20:00')).toBe(new Date(2026, 10, 15, 20).getTime())
  })

  it('is read from toISOString', () => {
    const dates = fc.date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T00:00:00Z'),
      noInvalidDate: true,
    })
    fc.assert(fc.property(dates, date => parseInstant(date.toISOString()) === date.getTime()))
  })
})
