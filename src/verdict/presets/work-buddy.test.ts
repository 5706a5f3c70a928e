import { describe, expect, it } from 'vitest'
import { vectorsOf } from '../../../test/vectors.ts'
import { exampleFailure as failure, exampleCircumstances as given } from '../../../test/verdict/example.ts'
import type { Failure } from '../../failure/failure.ts'
import { decide, healthOf } from '../decide.ts'
import { PRESETS } from './presets.ts'
import { workBuddyDelayMs } from './work-buddy.ts'

describe('workBuddy', () => {
  it.each<[string, number, number]>([
    ['fixed_10s', 1, 10],
    ['exponential', 1, 10],
    ['exponential', 2, 20],
    ['exponential', 3, 40],
    ['exponential', 4, 80],
    ['exponential', 5, 120],
    ['exponential', 10, 120],
    ['adaptive', 1, 10],
    ['adaptive', 2, 20],
    ['adaptive', 3, 45],
    ['adaptive', 5, 120],
    ['adaptive', 100, 120],
    ['none', 1, 10],
    // The original gives 120 and 5 here, by accident.
    ['adaptive', 0, 10],
    ['exponential', 0, 10],
  ])('%s waits after attempt %i for %i s', (strategy, attempt, seconds) => {
    expect(workBuddyDelayMs(strategy, attempt)).toBe(seconds * 1_000)
  })

  it('takes any other strategy for 10 s, at every attempt', () => {
    expect(workBuddyDelayMs('fixed_10s', 4)).toBe(10_000)
    expect(workBuddyDelayMs('nonsense', 9)).toBe(10_000)
    expect(workBuddyDelayMs('fullJitter', 1)).toBe(10_000)
  })

  it('ends an abort as cancelled, and says which attempt comes next', () => {
    expect(decide(failure('aborted', 'aborted'), given(), PRESETS.workBuddy)).toMatchObject({
      action: 'cancel',
      as: 'cancelled',
    })
    expect(
      decide(failure('transient', 'network'), given({ maxRetries: 5 }), PRESETS.workBuddy),
    ).toMatchObject({
      action: 'retry',
      mode: 'again',
      reason: 'network: attempt 2 of 5',
    })
  })

  it('counts attempts, the first included: five of them are four retries', () => {
    const input = failure('transient', 'network')
    const actions = [0, 1, 2, 3, 4].map(retries =>
      decide(input, given({ retries, maxRetries: 5, backoff: 'adaptive' }), PRESETS.workBuddy),
    )
    expect(
      actions.map(verdict => (verdict.action === 'retry' ? verdict.delayMs / 1_000 : verdict.action)),
    ).toEqual([10, 20, 45, 90, 'cancel'])
  })

  it('repeats deadlines, but nothing that it does not know', () => {
    expect(decide(failure('timeout', 'timeout'), given({ maxRetries: 5 }), PRESETS.workBuddy)).toMatchObject({
      action: 'retry',
    })
    for (const input of [
      failure('throttle', 'rate_limit'),
      failure('permanent', 'config'),
      failure('unknown', 'unknown'),
    ]) {
      expect(decide(input, given({ maxRetries: 5 }), PRESETS.workBuddy)).toMatchObject({
        action: 'cancel',
        as: 'refused',
      })
    }
  })

  interface Asked {
    strategy: string
    attempt: number
  }
  const lines = vectorsOf('workbuddy', 'backoff')
  it.skipIf(lines.length === 0).each(lines)('$id', ({ input, expected }) => {
    const asked = (input.cases ?? [input]) as Asked[]
    const delays = (expected.delays_s ?? [expected.delay_s]) as number[]
    // There is no attempt before the first: what the original gave for it was an accident.
    const wanted = delays.map((seconds, index) => ((asked[index] as Asked).attempt < 1 ? 10 : seconds))
    expect(asked.map(({ strategy, attempt }) => workBuddyDelayMs(strategy, attempt) / 1_000)).toEqual(wanted)
  })
})

/** The original's guarded calls: what was repeated, and what counted towards opening the breaker. */
describe("the original's decision for a guarded call", () => {
  it.each<[string, Failure, boolean, string]>([
    ['a timeout', failure('timeout', 'timeout'), true, 'failure'],
    ['a passing failure', failure('transient', 'network'), true, 'failure'],
    ['a lasting failure', failure('permanent', 'invalid_request'), false, 'none'],
    ['a person who has to agree', failure('permanent', 'permission'), false, 'none'],
  ])('is also the default: %s', (_what, input, isRepeated, breaker) => {
    const circumstances = given({ durable: true, maxRetries: 5 })
    for (const policy of [undefined, PRESETS.workBuddy]) {
      expect(decide(input, circumstances, policy).action === 'retry').toBe(isRepeated)
      expect(healthOf(input, circumstances, policy).breaker).toBe(breaker)
    }
  })
})
