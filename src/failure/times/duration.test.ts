import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseDuration } from './duration.ts'

it.each([
  ['174ms', 174],
  ['7.5s', 7_500],
  ['18.642s', 18_642],
  ['6m0s', 360_000],
  ['9m38.016s', 578_016],
  ['161h39m41.3s', 581_981_300],
  ['3 hours 2 minutes', 10_920_000],
  ['2h 5m', 7_500_000],
  ['2 days 3 hours', 183_600_000],
  ['~30s', 30_000],
  ['35 seconds', 35_000],
  ['58 hours', 208_800_000],
  ['1 minute', 60_000],
  ['1 week', 604_800_000],
  ['an hour', 3_600_000],
  ['half an hour', 1_800_000],
  ['1,000 seconds', 1_000_000],
])('reads %s', (text, ms) => {
  expect(parseDuration(text)).toBeCloseTo(ms, 3)
})

it.each(['', 'soon', 'a few minutes', '30', '5 apples', '3 months'])('finds no duration in %j', text => {
  expect(parseDuration(text)).toBeUndefined()
})

it('takes a bare number for seconds only if allowed', () => {
  expect(parseDuration('30', { bare: true })).toBe(30_000)
  expect(parseDuration('0.5', { bare: true })).toBe(500)
})

it('reads back what it is given', () => {
  const part = fc.nat({ max: 10_000 })
  fc.assert(
    fc.property(part, part, part, (h, m, s) => {
      expect(parseDuration(`${h}h${m}m${s}s`)).toBe(h * 3_600_000 + m * 60_000 + s * 1_000)
    }),
  )
})
