import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  BACKOFF_NAMES,
  type BackoffName,
  backoffMs,
  jitterMs,
  LONGEST_BACKOFF_MS,
  longestWaitsMs,
} from './backoff.ts'

describe('backoffMs', () => {
  it.each([
    ['adaptive', [10, 20, 45, 90, 120, 120, 120]],
    ['fixed10s', [10, 10, 10, 10]],
    ['exponential', [10, 20, 40, 80, 120, 120]],
  ] as const)('%s waits %j seconds', (name, seconds) => {
    expect(seconds.map((_, retries) => backoffMs(name, retries, 0.7) / 1_000)).toEqual(seconds)
  })

  it('fullJitter spreads over everything up to 1 s doubling, capped at 30 s', () => {
    expect([0, 1, 2, 5, 50].map(retries => backoffMs('fullJitter', retries, 1))).toEqual([
      1_000, 2_000, 4_000, 30_000, 30_000,
    ])
    expect(backoffMs('fullJitter', 3, 0)).toBe(0)
    expect(backoffMs('fullJitter', 3, 0.5)).toBe(4_000)
  })

  it('oban waits 15 s and a second doubling up to 1,024 s, and up to a tenth more', () => {
    expect([0, 1, 2, 9, 10].map(retries => backoffMs('oban', retries, 0) / 1_000)).toEqual([
      17, 19, 23, 1_039, 1_039,
    ])
    expect(backoffMs('oban', 0, 1)).toBe(18_700)
  })

  it('clamps a random number outside [0, 1)', () => {
    expect(backoffMs('fullJitter', 2, -3)).toBe(0)
    expect(backoffMs('fullJitter', 2, Number.NaN)).toBe(0)
    expect(backoffMs('fullJitter', 2, 7)).toBe(4_000)
  })

  it('is a whole number within bounds for any input', () => {
    const any = fc.oneof(
      fc.double(),
      fc.integer(),
      fc.constantFrom(Number.NaN, Infinity, -Infinity, -0, 1e308, 2 ** 53),
    )
    fc.assert(
      fc.property(fc.constantFrom(...BACKOFF_NAMES), any, any, (name, retries, random) => {
        const ms = backoffMs(name, retries, random)
        expect(Number.isInteger(ms) && ms >= 0 && ms <= LONGEST_BACKOFF_MS).toBe(true)
      }),
    )
  })

  it('never shrinks from one retry to the next for the same random number', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...BACKOFF_NAMES),
        fc.nat({ max: 200 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (name, retries, random) => {
          expect(backoffMs(name, retries + 1, random)).toBeGreaterThanOrEqual(
            backoffMs(name, retries, random),
          )
        },
      ),
    )
  })

  it('takes an unknown name for fixed10s', () => {
    expect(backoffMs('none' as BackoffName, 3, 0)).toBe(10_000)
    expect(backoffMs('toString' as BackoffName, 3, 0)).toBe(10_000)
  })
})

describe('jitterMs', () => {
  it('adds up to a quarter of the step, and nothing to backoffs that include jitter', () => {
    expect([0, 0.5, 1].map(random => jitterMs('adaptive', 20_000, random))).toEqual([0, 2_500, 5_000])
    expect(jitterMs('fullJitter', 20_000, 1)).toBe(0)
    expect(jitterMs('oban', 20_000, 1)).toBe(0)
    expect([-1, Number.NaN, 3].map(random => jitterMs('adaptive', 20_000, random))).toEqual([0, 0, 5_000])
  })
})

describe('longestWaitsMs', () => {
  it('is the sum of all waits at their longest, even of very many', () => {
    expect(longestWaitsMs('adaptive', 5)).toBe(1.25 * 285_000)
    expect(longestWaitsMs('adaptive', 19)).toBe(1.25 * (285_000 + 14 * 120_000))
    expect(longestWaitsMs('fixed10s', 1e9)).toBe(1e9 * 12_500)
    expect(longestWaitsMs('fullJitter', 3)).toBe(7_000)
    expect(longestWaitsMs('exponential', 0)).toBe(0)
  })
})

it('is always 10 s under both names of that backoff', () => {
  for (const name of ['fixed10s', 'fixed_10s'] as const)
    expect([0, 3, 9].map(retries => backoffMs(name, retries, 0.7))).toEqual([10_000, 10_000, 10_000])
})
