import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Failure } from '../failure/failure.ts'
import { afterServed, afterStrike, type Strikes, strikeKindOf, struckBefore } from './strikes.ts'

const time = fc.integer({ min: 0, max: 10_000_000 })
const strikes = fc.record({
  way: fc.constantFrom('rate_limit' as const, 'usage_limit' as const, 'login' as const, 'unsaid' as const),
  count: fc.integer({ min: 1, max: 50 }),
  at: time,
  until: fc.option(time),
})
const present = fc.option(strikes, { nil: undefined }) as fc.Arbitrary<Strikes | undefined>

describe('refusals in a row', () => {
  it('grow by at most one, and are never fewer than one', () => {
    fc.assert(
      fc.property(present, strikes, time, time, (before, { way, until }, startedAt, now) => {
        const after = afterStrike(before, way, startedAt, now, until)
        expect(after.count).toBeGreaterThanOrEqual(1)
        expect(after.count).toBeLessThanOrEqual((before?.count ?? 0) + 1)
        expect(after.count).toBe(struckBefore(before, way, startedAt, now) + 1)
      }),
    )
  })

  it('of calls that began before the block count as one', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(999), { minLength: 1, maxLength: 60 }), starts => {
        let row: Strikes | undefined
        for (const startedAt of starts) row = afterStrike(row, 'rate_limit', startedAt, 1_000, 61_000)
        expect(row?.count).toBe(1)
        // The next call after the block is the second.
        expect(afterStrike(row, 'rate_limit', 61_000, 61_001, 181_000).count).toBe(2)
      }),
    )
  })

  it('end with the success of a call that began after the last refusal, and no other', () => {
    fc.assert(
      fc.property(strikes, time, (row, startedAt) => {
        const now = Math.max(row.at, startedAt)
        const after = afterServed(row as Strikes, startedAt, now)
        expect(after === undefined).toBe(startedAt >= row.at)
      }),
    )
  })

  it('are counted anew for a different way of refusing', () => {
    const row = afterStrike(undefined, 'rate_limit', 0, 0, 60_000)
    expect(afterStrike(row, 'usage_limit', 60_000, 60_000, null)).toMatchObject({ count: 1 })
  })

  it('end when the clock was set back, because the order is then unknown', () => {
    const row: Strikes = { way: 'rate_limit', count: 4, at: 86_400_000, until: 86_460_000 }
    expect(afterServed(row, 1_000, 2_000)).toBeUndefined()
  })

  it.each<[Partial<Failure>, string | undefined]>([
    [{ class: 'throttle', kind: 'rate_limit' }, 'rate_limit'],
    [{ class: 'throttle', kind: 'quota' }, 'usage_limit'],
    [{ class: 'throttle', kind: 'rate_limit', retryAfterMs: 1 }, undefined],
    [{ class: 'throttle', kind: 'billing' }, undefined],
    [{ class: 'permanent', kind: 'auth' }, 'login'],
    [{ class: 'permanent', kind: 'forbidden', scope: 'account' }, 'login'],
    [{ class: 'permanent', kind: 'forbidden' }, 'unsaid'],
    [{ class: 'permanent', kind: 'forbidden', scope: 'resource' }, undefined],
    [{ class: 'transient', kind: 'overloaded' }, undefined],
  ])('of %j count as %s', (failure, way) => {
    expect(strikeKindOf(failure as Failure)).toBe(way)
  })
})
