import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Spending } from '../call/attempt/tally.ts'
import { Charge } from './charge.ts'

function charged(totals: readonly { costUsd: number | null; tokens: number | null }[]) {
  const spent: Spending[] = []
  const charge = new Charge({ charge: one => void spent.push(one) })
  for (const { costUsd, tokens } of totals)
    charge.upTo({
      costUsd,
      usage: tokens === null ? null : { inputTokens: tokens, outputTokens: 0, cachedTokens: 0 },
    })
  return spent
}

it('charges the increase since the last charge', () => {
  const spent = charged([
    { costUsd: 1, tokens: 10 },
    { costUsd: 3, tokens: 10 },
  ])
  expect(spent).toEqual([{ usd: 1, tokens: 10 }, { usd: 2 }])
})

it('charges nothing while the cost is unknown, and zero once it is known to be zero', () => {
  expect(charged([{ costUsd: null, tokens: null }])).toEqual([])
  expect(charged([{ costUsd: 0, tokens: null }])).toEqual([{ usd: 0 }])
})

it('charges the largest total in the end, for any order of reports', () => {
  const total = fc.record({
    costUsd: fc.option(fc.integer({ min: 0, max: 100 })),
    tokens: fc.option(fc.integer({ min: 0, max: 100 })),
  })
  fc.assert(
    fc.property(fc.array(total), totals => {
      const spent = charged(totals)
      const sum = (pick: (one: Spending) => number | undefined) =>
        spent.reduce((all, one) => all + (pick(one) ?? 0), 0)
      expect(sum(one => one.usd)).toBe(Math.max(0, ...totals.map(({ costUsd }) => costUsd ?? 0)))
      expect(sum(one => one.tokens)).toBe(Math.max(0, ...totals.map(({ tokens }) => tokens ?? 0)))
      expect(spent.every(({ usd = 0, tokens = 0 }) => usd >= 0 && tokens >= 0)).toBe(true)
    }),
  )
})
