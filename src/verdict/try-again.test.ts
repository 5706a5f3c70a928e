import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exampleFailure as failure, exampleCircumstances as given } from './example.ts'
import { hasTimeToTryAgain, mayStartOver, mayTryAgain, retryMode } from './try-again.ts'

const effects = fc.constantFrom('none' as const, 'maybe' as const, 'done' as const)
const works = fc.record({ repeatable: fc.boolean(), verifiable: fc.boolean(), resumable: fc.boolean() })
const sessions = fc.constantFrom({}, { sessionId: 's-1' })

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
      fc.property(effects, works, sessions, (effect, work, session) => {
        const mode = retryMode(failure('transient', 'eof', { effect, ...session }), work)
        expect(mode === 'resume').toBe(effect === 'maybe' && work.resumable && 'sessionId' in session)
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
