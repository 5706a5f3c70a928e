import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classify } from '../../failure/classify.ts'
import type { Failure } from '../../failure/failure.ts'
import type { Circumstances } from '../../verdict/circumstances.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { boundOf, type Limits } from './bounds.ts'

const overloaded: Failure = {
  ...(classify(Object.assign(new Error('Overloaded'), { status: 529 })) as Failure),
  effect: 'none',
}
const words = { reason: 'r', rule: 'r' }
const retry: Verdict = { action: 'retry', delayMs: 1_000, mode: 'again', ...words }
const resume: Verdict = { action: 'retry', delayMs: 1_000, mode: 'resume', ...words }
const failover: Verdict = { action: 'failover', ...words }
const snooze: Verdict = { action: 'snooze', until: 5_000, mode: 'again', ...words }
const park: Verdict = { action: 'park', for: 'label', ...words }
const cancel: Verdict = { action: 'cancel', as: 'refused', ...words }

function circumstances(more: Partial<Circumstances> = {}): Circumstances {
  return {
    durable: false,
    now: 0,
    random: 0,
    retries: 0,
    maxRetries: 2,
    backoff: 'fullJitter',
    snoozes: 0,
    maxSnoozes: 3,
    remainingMs: 60_000,
    minRetryBudgetMs: 6_000,
    repeatable: false,
    resumable: false,
    verifiable: false,
    otherProviderAvailable: true,
    ...more,
  }
}

const bound = (
  verdict: Verdict,
  more: Partial<Circumstances> = {},
  limits: Limits = {},
  failure: Failure | undefined = overloaded,
) => boundOf(verdict, failure, circumstances(more), limits)?.by

describe('a verdict that the bounds allow', () => {
  it.each([retry, failover, park, cancel])('stands: $action', verdict => {
    expect(bound(verdict)).toBeUndefined()
    expect(bound(verdict, { durable: true })).toBeUndefined()
  })

  it('includes any end, no matter the bounds', () => {
    const most = { isAborted: true, isSpent: true }
    expect(bound(park, { remainingMs: 0 }, most)).toBeUndefined()
    expect(bound(cancel, { remainingMs: 0 }, most)).toBeUndefined()
    expect(bound(snooze, { remainingMs: 0 }, most)).toBeUndefined()
  })
})

describe('the time that a second try needs', () => {
  it.each([
    ['a retry', retry],
    ['a failover', failover],
  ])('binds %s of any policy in process: more than the minimum must be left', (_what, verdict) => {
    const least = { minRetryBudgetMs: 6_000 }
    expect(bound(verdict, { ...least, remainingMs: 6_001 })).toBeUndefined()
    expect(bound(verdict, { ...least, remainingMs: 6_000 })).toBe('time')
  })

  it('binds a durable retry, but not a durable failover', () => {
    const late = { durable: true, remainingMs: 6_000 }
    expect(bound(retry, late)).toBe('time')
    expect(bound(failover, late)).toBeUndefined()
    expect(bound(retry, { durable: true, remainingMs: 7_000, minRetryBudgetMs: 0 })).toBeUndefined()
    expect(bound(retry, { durable: true, remainingMs: 1_000, minRetryBudgetMs: 0 })).toBe('time')
  })

  it('must be longer than the wait, and the policy is told so', () => {
    const found = boundOf(retry, overloaded, circumstances({ remainingMs: 1_000, minRetryBudgetMs: 0 }), {})
    expect(found).toMatchObject({ by: 'wait', as: 'expired', instead: { maxRetries: 0 } })
  })
})

describe('the longest wait', () => {
  const longest = (ms: number, more = {}) => ({ longestWait: { ms, why: () => 'too long', ...more } })

  it('is exclusive unless declared inclusive', () => {
    expect(bound(retry, {}, longest(1_001))).toBeUndefined()
    expect(bound(retry, {}, longest(1_000))).toBe('wait')
    expect(bound(retry, {}, longest(1_000, { isIncluded: true }))).toBeUndefined()
    expect(bound(retry, {}, longest(999, { isIncluded: true }))).toBe('wait')
  })

  it('is the reason given if it is shorter than the remaining time, else the budget is', () => {
    const why = (ms: number) =>
      boundOf({ ...retry, delayMs: 60_000 }, overloaded, circumstances(), longest(ms))?.why
    expect(why(59_999)).toBe('too long')
    expect(why(60_000)).toContain('remaining budget')
    expect(why(60_001)).toContain('remaining budget')
  })

  it('counts as all remaining time only if declared so', () => {
    const told = (more: object) =>
      boundOf(retry, overloaded, circumstances(), longest(500, more))?.instead?.remainingMs
    expect(told({ isAllTime: true })).toBe(500)
    expect(told({})).toBeUndefined()
  })
})

describe('what may have taken effect', () => {
  const maybe: Failure = { ...overloaded, effect: 'maybe' }
  const begun: Failure = { ...maybe, sessionId: 's1' }

  it.each([retry, failover])('is not repeated: $action', verdict => {
    for (const durable of [true, false]) {
      expect(bound(verdict, { durable }, {}, maybe)).toBe('effect')
      expect(bound(verdict, { durable, repeatable: true }, {}, maybe)).toBeUndefined()
      expect(bound(verdict, { durable, verifiable: true }, {}, maybe)).toBeUndefined()
    }
  })

  it('may be resumed if there is a session, and only by a resume verdict', () => {
    expect(bound(resume, { resumable: true }, {}, begun)).toBeUndefined()
    expect(bound(resume, { resumable: true }, {}, maybe)).toBe('effect')
    expect(bound(resume, { resumable: false }, {}, begun)).toBe('effect')
    expect(bound(retry, { resumable: true }, {}, begun)).toBe('effect')
  })

  it('includes a result about which nothing is known', () => {
    expect(boundOf(retry, undefined, circumstances(), {})?.by).toBe('effect')
    expect(boundOf(resume, undefined, circumstances({ resumable: true }), {})).toBeUndefined()
  })
})

describe('what is used up', () => {
  it('includes retries, for retries only', () => {
    for (const durable of [true, false]) {
      expect(bound(retry, { durable, retries: 2 })).toBe('retries')
      expect(bound(failover, { durable, retries: 2 })).toBeUndefined()
    }
  })

  it('includes providers, for failovers only', () => {
    for (const durable of [true, false]) {
      expect(bound(failover, { durable, otherProviderAvailable: false })).toBe('providers')
      expect(bound(retry, { durable, otherProviderAvailable: false })).toBeUndefined()
    }
  })

  it('includes the cost limit', () => {
    expect(boundOf(retry, overloaded, circumstances(), { isSpent: true })).toMatchObject({
      by: 'cost',
      as: 'stopped',
    })
  })

  it("includes the caller's abort, which takes precedence over the cost limit", () => {
    expect(bound(retry, {}, { isAborted: true, isSpent: true })).toBe('abort')
  })

  it('includes the waits of an operation, by number and by total length', () => {
    expect(bound(snooze, { durable: true, snoozes: 2 })).toBeUndefined()
    expect(bound(snooze, { durable: true, snoozes: 3 })).toBe('wait')
    expect(bound(snooze, { durable: true }, { snoozed: { ms: 10, mostMs: 5_010 } })).toBeUndefined()
    expect(bound(snooze, { durable: true }, { snoozed: { ms: 11, mostMs: 5_010 } })).toBe('wait')
    expect(bound(snooze, { durable: true, now: 1 }, { snoozed: { ms: 11, mostMs: 5_010 } })).toBeUndefined()
  })
})

describe('a retry that health refuses', () => {
  it('is asked for last, because asking may use it up', () => {
    let asked = 0
    const refuseRetry = () => {
      asked++
      return 'most calls fail'
    }
    expect(bound(retry, { retries: 2 }, { refuseRetry })).toBe('retries')
    expect(bound(failover, {}, { refuseRetry })).toBeUndefined()
    expect(asked).toBe(0)
    const found = boundOf(retry, overloaded, circumstances(), { refuseRetry })
    expect(found).toMatchObject({ by: 'health', why: 'most calls fail', instead: { maxRetries: 0 } })
    expect(asked).toBe(1)
  })
})

it('never lets a second try begin without time, retries or permission to repeat, for any verdict', () => {
  const any = fc.record({
    durable: fc.boolean(),
    retries: fc.nat(3),
    maxRetries: fc.nat(3),
    remainingMs: fc.nat(3_000),
    minRetryBudgetMs: fc.nat(3_000),
    repeatable: fc.boolean(),
    verifiable: fc.boolean(),
    otherProviderAvailable: fc.boolean(),
  })
  const effects = fc.constantFrom<Failure['effect']>('none', 'maybe', 'done')
  fc.assert(
    fc.property(any, effects, fc.nat(3_000), (more, effect, delayMs) => {
      const given = circumstances(more)
      const failure = { ...overloaded, effect }
      if (boundOf({ ...retry, delayMs } as Verdict, failure, given, {})) return
      expect(given.retries).toBeLessThan(given.maxRetries)
      expect(given.remainingMs).toBeGreaterThan(given.minRetryBudgetMs)
      expect(delayMs).toBeLessThan(given.remainingMs)
      expect(effect === 'none' || given.repeatable || (effect === 'maybe' && given.verifiable)).toBe(true)
    }),
  )
})
