import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exampleFailure as failure, exampleCircumstances as given } from '../../test/verdict/example.ts'
import { failureOfKind } from '../testing/core/scripted-failure.ts'
import {
  hasTimeToTryAgain,
  mayStartOver,
  mayTryAgain,
  retryMode,
  type TryFacts,
  withEffectOfTry,
  withRemedies,
} from './second-try.ts'

const effects = fc.constantFrom('none' as const, 'maybe' as const, 'done' as const)
const works = fc.record({ repeatable: fc.boolean(), verifiable: fc.boolean(), resumable: fc.boolean() })
const sessions = fc.constantFrom({}, { sessionId: 's-1' })
const deeds = fc.constantFrom({}, { did: 'said' as const }, { did: 'read' as const })

describe('a further try', () => {
  it('starts over freely if nothing was done or repeating does no harm', () => {
    fc.assert(
      fc.property(effects, works, (effect, work) => {
        if (effect === 'none' || work.repeatable) expect(mayStartOver(effect, work)).toBe(true)
      }),
    )
  })

  it('starts over work that may be done only after a check, and never work that is done', () => {
    const once = { repeatable: false, verifiable: true }
    expect(mayStartOver('maybe', once)).toBe(true)
    expect(mayStartOver('maybe', { ...once, verifiable: false })).toBe(false)
    expect(mayStartOver('done', once)).toBe(false)
  })

  it('continues a session only if there is one', () => {
    fc.assert(
      fc.property(effects, works, sessions, deeds, (effect, work, session, deed) => {
        const mode = retryMode(failure('transient', 'eof', { effect, ...session, ...deed }), work)
        const showsTurn = effect === 'maybe' || 'did' in deed
        expect(mode === 'resume').toBe(showsTurn && work.resumable && 'sessionId' in session)
      }),
    )
  })

  it('is made only if it can start over or continue', () => {
    fc.assert(
      fc.property(effects, works, sessions, (effect, work, session) => {
        const failed = failure('transient', 'eof', { effect, ...session })
        const isSafe = mayStartOver(effect, work) || retryMode(failed, work) === 'resume'
        expect(mayTryAgain(failed, given(work))).toBe(isSafe)
      }),
    )
  })

  it('needs strictly more time than the minimum retry budget', () => {
    expect(hasTimeToTryAgain(given({ remainingMs: 30_000, minRetryBudgetMs: 30_000 }))).toBe(false)
    expect(hasTimeToTryAgain(given({ remainingMs: 30_001, minRetryBudgetMs: 30_000 }))).toBe(true)
    expect(hasTimeToTryAgain(given({ remainingMs: Infinity }))).toBe(true)
  })
})

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
    expect(withRemedies(refused, ['atomic', 'replay']).reason).toBe(
      'no (if it is one request, set atomic = true; if running it twice is harmless, set retry = "replay")',
    )
    const other = { ...refused, as: 'refused' } as const
    expect(withRemedies(other, ['replay'])).toBe(other)
    const later = { ...refused, action: 'failover' } as unknown as typeof refused
    expect(withRemedies(later, ['replay'])).toBe(later)
  })
})
