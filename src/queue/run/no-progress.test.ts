import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { waitAfter } from './no-progress.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND

describe('the wait of an operation that returns again and again', () => {
  it('never shrinks, is zero at first, and ends at 15 minutes', () => {
    fc.assert(
      fc.property(fc.nat(200), times => {
        expect(waitAfter(times + 1)).toBeGreaterThanOrEqual(waitAfter(times))
        expect(waitAfter(times)).toBeLessThanOrEqual(15 * MINUTE)
      }),
    )
    expect([0, 1, 2, 3].map(waitAfter)).toEqual([0, 5 * SECOND, 10 * SECOND, 20 * SECOND])
  })
})
