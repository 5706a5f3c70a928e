import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failureOfKind } from '../testing/scripted-failure.ts'
import { type TryFacts, withEffectOfTry, withRemedy } from './effect-of-try.ts'

const tries: fc.Arbitrary<TryFacts> = fc.record({
  isBegun: fc.boolean(),
  repeatable: fc.boolean(),
  isOneRequest: fc.boolean(),
})
const failures = fc
  .constantFrom('none' as const, 'maybe' as const, 'done' as const)
  .map(effect => failureOfKind({ kind: 'overloaded', effect }))

describe('the effect of a try', () => {
  it('is none only if it never began, is repeatable, or was one refused request', () => {
    fc.assert(
      fc.property(failures, tries, (failure, whole) => {
        const { effect } = withEffectOfTry(failure, whole)
        const isProven = failure.effect === 'none' && (whole.repeatable || whole.isOneRequest)
        expect(effect === 'none').toBe(!whole.isBegun || isProven)
      }),
    )
  })

  it('changes nothing else in the failure, and nothing at all if the work is repeatable', () => {
    fc.assert(
      fc.property(failures, tries, (failure, whole) => {
        expect({ ...withEffectOfTry(failure, whole), effect: failure.effect }).toEqual(failure)
        expect(withEffectOfTry(failure, { ...whole, isBegun: true, repeatable: true })).toBe(failure)
      }),
    )
  })

  it('returns the same object if the effect is already right', () => {
    const none = failureOfKind('overloaded')
    const maybe = failureOfKind({ kind: 'overloaded', effect: 'maybe' })
    const facts = { isBegun: true, repeatable: false, isOneRequest: false }
    expect(withEffectOfTry(none, { ...facts, isBegun: false })).toBe(none)
    expect(withEffectOfTry(maybe, facts)).toBe(maybe)
    const done = failureOfKind({ kind: 'overloaded', effect: 'done' })
    expect(withEffectOfTry(done, facts).effect).toBe('done')
  })

  it('says what would allow a second try only if it was refused for that reason', () => {
    const refused = { action: 'cancel', as: 'unverifiable', reason: 'no', rule: 'r' } as const
    expect(withRemedy(refused, 'say so').reason).toBe('no (say so)')
    const other = { ...refused, as: 'refused' } as const
    expect(withRemedy(other, 'say so')).toBe(other)
    const later = { ...refused, action: 'failover' } as unknown as typeof refused
    expect(withRemedy(later, 'say so')).toBe(later)
  })
})
