import { expect, it } from 'vitest'
import { learned, rateAt } from './learned-rate.ts'

const SECOND = 1_000

it.each([1, 10])(
  'a rate of %i a second is probed beyond itself after as many calls as any other',
  perSecond => {
    const recoveredMs = (15 * SECOND) / perSecond
    expect(rateAt({ perSecond, at: 0 }, recoveredMs)).toBeCloseTo(perSecond)
    expect(rateAt({ perSecond, at: 0 }, recoveredMs * 2.4)).toBeGreaterThan(4 * perSecond)
  },
)

it('a refusal lowers a rate little, even if few were served since the last', () => {
  const present = { perSecond: 10, at: 0 }
  const served = { until: 0, served: 1, waitedFor: 1 }
  expect(learned(present, served, 1_500)).toBeCloseTo(9)
})

it('the first rate is what was served since the last pause, not what went before', () => {
  expect(learned(undefined, { until: 60 * SECOND, served: 6, waitedFor: 6 }, 62 * SECOND)).toBe(3)
})

it('nothing is learned while nobody waits', () => {
  expect(learned(undefined, { until: 0, served: 6, waitedFor: 1 }, 2 * SECOND)).toBeUndefined()
})
