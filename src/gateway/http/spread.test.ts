import { describe, expect, it } from 'vitest'
import { Spread } from './spread.ts'

const spreadOf = (...values: number[]) => {
  const spread = new Spread()
  for (const value of values) spread.add(value)
  return spread
}

describe('a spread of lengths', () => {
  it('has the median and the 95th percentile, to a tenth', () => {
    const spread = spreadOf(...Array.from({ length: 1_000 }, (_, n) => n + 1))
    expect(Math.abs((spread.quantile(0.5) as number) / 500 - 1)).toBeLessThan(0.1)
    expect(Math.abs((spread.quantile(0.95) as number) / 950 - 1)).toBeLessThan(0.1)
  })

  it('has nothing if there was nothing, and 0 for what took no time', () => {
    expect(spreadOf().quantile(0.5)).toBeUndefined()
    expect(spreadOf(0, 0, 5_000).quantile(0.5)).toBe(0)
  })

  it('merges as if all had been added to one', () => {
    const both = spreadOf(1, 10, 100)
    both.merge(spreadOf(1_000, 10_000))
    expect(both.quantile(0.95)).toBe(spreadOf(1, 10, 100, 1_000, 10_000).quantile(0.95))
    expect(both.quantile(0.5)).toBe(spreadOf(100).quantile(0.5))
  })
})
