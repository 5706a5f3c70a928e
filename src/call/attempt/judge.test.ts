import { describe, expect, it } from 'vitest'
import { exampleFailure, exampleCircumstances as given } from '../../../test/verdict/example.ts'
import type { Permit } from '../../provider/gate.ts'
import type { Circumstances } from '../../verdict/circumstances.ts'
import type { PolicyLike } from '../../verdict/policy.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import type { Limits } from './bounds.ts'
import { Judge, reportFailure } from './judge.ts'

const down = exampleFailure('transient', 'overloaded')
const words = { reason: 'because', rule: 'mine' }
const retry: Verdict = { action: 'retry', delayMs: 1_000, mode: 'again', ...words }

function judgeOf(policy: PolicyLike, fields: Partial<Circumstances> = {}, limits: Limits = {}): Judge {
  return new Judge({
    rules: 'call',
    policies: () => policy,
    circumstances: outlook => given({ ...outlook, ...fields }),
    limits: () => limits,
    report: () => {},
  })
}

/** Answers differently once it is told that no retry is left. */
const otherwise =
  (instead: Verdict): PolicyLike =>
  (_failure, { retries, maxRetries }) =>
    retries < maxRetries ? retry : instead

describe('a policy whose retry is bound', () => {
  const refuseRetry = () => 'most calls fail'

  it('is asked once more, and its other answer is taken, with the bound in the reason', () => {
    const park: Verdict = { action: 'park', for: 'login', ...words }
    expect(judgeOf(otherwise(park)).judge(down, undefined, refuseRetry)).toMatchObject({
      verdict: { action: 'park', reason: 'because; most calls fail' },
      boundBy: 'health',
    })
  })

  it('is not obeyed if it insists: the call ends', () => {
    const insisting = judgeOf(() => retry)
    expect(insisting.judge(down, undefined, refuseRetry)).toMatchObject({
      verdict: {
        action: 'cancel',
        as: 'exhausted',
        rule: 'call:exhausted',
        reason: 'overloaded: most calls fail',
      },
    })
  })

  it('may fail over only if there is another provider', () => {
    const moving = judgeOf(otherwise({ action: 'failover', ...words }))
    expect(moving.judge(down, { otherProviderAvailable: true }, refuseRetry)).toMatchObject({
      verdict: { action: 'failover' },
    })
    expect(moving.judge(down, { otherProviderAvailable: false }, refuseRetry)).toMatchObject({
      verdict: { action: 'cancel' },
    })
    expect(moving.judge(down, undefined, refuseRetry)).toMatchObject({ verdict: { action: 'cancel' } })
  })

  it('keeps its verdict if nothing binds it', () => {
    expect(judgeOf(() => retry).judge(down)).toEqual({ verdict: retry })
    expect(judgeOf(() => retry).verdict(down)).toEqual(retry)
  })

  it('cannot continue after the cost limit is reached, and is not asked again', () => {
    let asked = 0
    const counting = judgeOf(
      () => {
        asked++
        return retry
      },
      {},
      { isSpent: true },
    )
    expect(counting.verdict(down)).toMatchObject({ action: 'cancel', as: 'stopped' })
    expect(asked).toBe(1)
  })
})

it('a policy may answer that the work has succeeded after all', () => {
  const found = judgeOf(() => ({ succeeded: 7, reason: 'it is there' }))
  expect(found.judge(down)).toMatchObject({ succeeded: 7 })
})

it('a verdict on a result is bound without a kind', () => {
  const { verdict } = judgeOf(() => retry).bounded(retry, undefined, given({ repeatable: true, retries: 2 }))
  expect(verdict).toMatchObject({ action: 'cancel', as: 'exhausted', reason: 'retry limit reached (2)' })
})

describe('the permit of a failed try', () => {
  /** What was reported to a provider with two strikes. */
  function reported(failure: ReturnType<typeof exampleFailure>): unknown[] {
    const calls: unknown[] = []
    const permit: Permit = {
      provider: 'p',
      standing: () => ({ strikes: 2, credentialKnown: true }),
      succeeded: () => calls.push('succeeded'),
      failed: (_failure, mark, cost) => calls.push(['failed', mark, cost]),
      released: cost => calls.push(['released', cost]),
    }
    const judge = judgeOf({
      health: (_failure, { strikes, credentialKnown }) => ({
        breaker: credentialKnown ? 'trip' : 'none',
        blockUntil: strikes ?? 0,
      }),
    })
    reportFailure(permit, failure, judge, cost)
    return calls
  }
  const cost = { costUsd: 1, tokens: null }

  it('is returned with what the policy says about the provider, which knows its record', () => {
    expect(reported(down)).toEqual([['failed', { breaker: 'trip', blockUntil: 2 }, cost]])
  })

  it.each([
    ['an abort', exampleFailure('aborted', 'aborted')],
    ['a limit that the user set', exampleFailure('rail', 'max_turns')],
  ])('says nothing about the provider after %s, but counts its cost', (_what, failure) => {
    expect(reported(failure)).toEqual([['released', cost]])
  })
})
