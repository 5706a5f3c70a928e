import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FakeTime } from '../testing/core/fake-time.ts'
import { RetryBucket } from './retry-bucket.ts'

describe('a retry bucket', () => {
  it('allows ten retries, then none', () => {
    const bucket = new RetryBucket(new FakeTime())
    expect(Array.from({ length: 12 }, () => bucket.take())).toEqual([...Array(10).fill(true), false, false])
  })

  it('takes nothing when it refuses', () => {
    const bucket = new RetryBucket(new FakeTime(), { capacity: 15 })
    bucket.take()
    bucket.take()
    expect(bucket.tokens).toBe(5)
  })

  it('refills by successes and over time, so it never stays empty', async () => {
    const time = new FakeTime()
    const bucket = new RetryBucket(time, { capacity: 10, cost: 10, refund: 2, perSecond: 0.5 })
    bucket.take()
    bucket.refund()
    expect(bucket.tokens).toBe(2)
    await time.advance(16_000)
    expect(bucket.take()).toBe(true)
  })

  it('always stays between empty and full', async () => {
    const steps = fc.array(
      fc.oneof(
        fc.constant('take' as const),
        fc.constant('refund' as const),
        fc.integer({ min: 0, max: 60_000 }),
      ),
    )
    await fc.assert(
      fc.asyncProperty(steps, async actions => {
        const time = new FakeTime()
        const bucket = new RetryBucket(time)
        for (const action of actions) {
          if (typeof action === 'number') await time.advance(action)
          else bucket[action]()
          expect(bucket.tokens).toBeGreaterThanOrEqual(0)
          expect(bucket.tokens).toBeLessThanOrEqual(100)
        }
      }),
    )
  })
})
