import { describe, expect, it } from 'vitest'
import { classify } from '../failure/classify.ts'
import type { Effect, Failure } from '../failure/failure.ts'
import type { Circumstances } from '../verdict/circumstances.ts'
import { decide } from '../verdict/decide.ts'
import type { RetryPolicy } from '../verdict/retry-policy.ts'
import { mayRunAgain, mustVerify, secondTryCircumstances } from './retry-policy.ts'

function failed(effect: Effect): { failure: Failure } {
  return { failure: { ...(classify(new Error('503 Service Unavailable')) as Failure), effect } }
}

const durable: Circumstances = {
  durable: true,
  now: 1_000_000,
  random: 0,
  retries: 0,
  maxRetries: 5,
  backoff: 'adaptive',
  snoozes: 0,
  maxSnoozes: 20,
  remainingMs: 1_800_000,
  minRetryBudgetMs: 30_000,
  repeatable: false,
  resumable: false,
  verifiable: false,
  otherProviderAvailable: false,
}

describe('the retry policy', () => {
  it.each<[RetryPolicy, Effect, string]>([
    ['none', 'none', 'retry'],
    ['none', 'maybe', 'cancel unverifiable'],
    ['replay', 'none', 'retry'],
    ['replay', 'maybe', 'retry'],
    ['verify_first', 'none', 'retry'],
    ['verify_first', 'maybe', 'retry'],
    ['verify_first', 'done', 'cancel unverifiable'],
  ])('%s turns a transient failure with effect %s into: %s', (retry, effect, wanted) => {
    const circumstances = { ...durable, ...secondTryCircumstances({ retry, resumable: false }) }
    const verdict = decide(failed(effect).failure, circumstances)
    expect(verdict.action === 'cancel' ? `cancel ${verdict.as}` : verdict.action).toBe(wanted)
  })

  it.each<[RetryPolicy, Effect[], boolean, boolean]>([
    ['none', [], true, false],
    ['none', ['none'], true, false],
    ['none', ['none', 'maybe'], false, false],
    ['replay', ['maybe', 'maybe'], true, false],
    ['verify_first', [], true, false],
    ['verify_first', ['none', 'none'], true, false],
    ['verify_first', ['maybe'], false, true],
    ['verify_first', ['maybe', 'none'], false, true],
  ])('%s after tries with effects %j: may run again %s, must verify %s', (retry, effects, may, must) => {
    const attempts = effects.map(failed)
    expect(mayRunAgain({ retry }, attempts)).toBe(may)
    expect(mustVerify({ retry }, attempts)).toBe(must)
  })

  it('treats a try without a known failure as one with an effect', () => {
    expect(mustVerify({ retry: 'verify_first' }, [{}])).toBe(true)
    expect(mayRunAgain({ retry: 'none' }, [{}])).toBe(false)
  })
})
