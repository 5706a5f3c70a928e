import fc from 'fast-check'
import { expect, it } from 'vitest'
import { loginBlockMs, timesMet, UNSTATED_WAITS, unstatedWaitMs } from './unstated-wait.ts'

it('a wait is between its first and its longest, and never shrinks, for any count', () => {
  const counts = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(Number.NaN, Infinity, -Infinity))
  fc.assert(
    fc.property(fc.constantFrom('rate_limit' as const, 'usage_limit' as const), counts, (kind, times) => {
      const { firstMs, longestMs } = UNSTATED_WAITS[kind]
      const ms = unstatedWaitMs(kind, times)
      expect(ms).toBeGreaterThanOrEqual(firstMs)
      expect(ms).toBeLessThanOrEqual(longestMs)
      expect(unstatedWaitMs(kind, times + 1)).toBeGreaterThanOrEqual(ms)
    }),
  )
})

it('a login is blocked for 30 s, doubling up to 15 min', () => {
  expect([-1, 0, 1, 2, 30, 1_000].map(loginBlockMs)).toEqual([
    30_000, 30_000, 60_000, 120_000, 900_000, 900_000,
  ])
})

it('a limit was hit as often as this operation waited or the provider refused, whichever is more', () => {
  expect(timesMet({ snoozes: 2 })).toBe(2)
  expect(timesMet({ snoozes: 2, strikes: 5 })).toBe(5)
  expect(timesMet({ snoozes: 7, strikes: 5 })).toBe(7)
})
