import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Circumstances, circumstancesOf } from './circumstances.ts'

describe('circumstances that were not given', () => {
  it('are those of a first try in this process, without a budget', () => {
    expect(circumstancesOf({ now: 5 })).toEqual({
      durable: false,
      now: 5,
      random: 0.5,
      retries: 0,
      maxRetries: 2,
      backoff: 'fullJitter',
      snoozes: 0,
      maxSnoozes: 20,
      remainingMs: Infinity,
      minRetryBudgetMs: 30_000,
      repeatable: true,
      resumable: false,
      verifiable: false,
      otherProviderAvailable: false,
    })
  })

  it('are those of a first run, if durable', () => {
    expect(circumstancesOf({ now: 5, durable: true })).toMatchObject({
      durable: true,
      maxRetries: 5,
      backoff: 'adaptive',
      remainingMs: 1_800_000,
      minRetryBudgetMs: 30_000,
    })
  })

  it('leave a tenth of a short budget for a second try', () => {
    expect(circumstancesOf({ remainingMs: 20_000 }).minRetryBudgetMs).toBe(2_000)
  })

  it('stay absent if they have no default', () => {
    const known = circumstancesOf({})
    for (const name of ['foreground', 'retriesAsked', 'availableAt', 'strikes', 'credentialKnown'])
      expect(known).not.toHaveProperty(name)
  })

  it('use the current time, if none was given', () => {
    const before = Date.now()
    const { now } = circumstancesOf({})
    expect(now).toBeGreaterThanOrEqual(before)
    expect(now).toBeLessThanOrEqual(Date.now())
  })

  it('never replace one that was given', () => {
    const given = fc.record<Partial<Circumstances>>(
      {
        durable: fc.boolean(),
        now: fc.nat(),
        random: fc.double({ min: 0, max: 0.99, noNaN: true }),
        retries: fc.nat(),
        maxRetries: fc.nat(),
        foreground: fc.nat(),
        retriesAsked: fc.boolean(),
        backoff: fc.constantFrom('adaptive', 'fullJitter'),
        snoozes: fc.nat(),
        maxSnoozes: fc.nat(),
        remainingMs: fc.nat(),
        minRetryBudgetMs: fc.nat(),
        repeatable: fc.boolean(),
        resumable: fc.boolean(),
        verifiable: fc.boolean(),
        otherProviderAvailable: fc.boolean(),
        availableAt: fc.nat(),
        strikes: fc.nat(),
        credentialKnown: fc.boolean(),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(given, some => {
        expect(circumstancesOf(some)).toMatchObject(some)
      }),
    )
  })
})
