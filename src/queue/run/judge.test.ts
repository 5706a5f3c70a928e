import { describe, expect, it } from 'vitest'
import { FakeTime } from '../../testing/core/fake-time.ts'
import { failureOfKind } from '../../testing/core/scripted-failure.ts'
import { scriptedCapability } from '../../testing/scripted.ts'
import type { Policy } from '../../verdict/policy.ts'
import type { QueueDeps } from '../queue-deps.ts'
import { QUEUE_DEFAULTS } from '../settings.ts'
import { type Counters, durableJudge } from './judge.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const time = new FakeTime()
const none: Counters = { retries: 0, waits: 0, snoozes: 0, retryingMs: 0, snoozedMs: 0 }

function judgeOf({
  counters = {},
  settings = {},
  capability = {},
  policies = [],
  report = () => {},
}: {
  counters?: Partial<Counters>
  settings?: object
  capability?: object
  policies?: readonly Partial<Policy>[]
  report?: (problem: unknown) => void
} = {}) {
  const deps = {
    time,
    random: () => 0.25,
    settings: { ...QUEUE_DEFAULTS, ...settings },
    policies: () => policies,
    report,
  } as unknown as QueueDeps
  const work = scriptedCapability({ name: 'work', ...capability }).capability
  return durableJudge(deps, work, { ...none, ...counters })
}

describe('an operation is judged by', () => {
  it('how often it was tried and waited, from its counters', () => {
    const counters = { retries: 3, waits: 1, snoozes: 4 }
    expect(judgeOf({ counters }).circumstances()).toMatchObject({
      durable: true,
      now: time.now(),
      random: 0.25,
      maxRetries: QUEUE_DEFAULTS.maxRetries,
      retriesAsked: false,
      maxSnoozes: QUEUE_DEFAULTS.maxSnoozes,
      retries: 1,
      foreground: 2,
      snoozes: 4,
    })
  })

  it('what its capability asked for', () => {
    const capability = { maxRetries: 9, backoff: 'exponential', resumable: true }
    expect(judgeOf({ capability }).circumstances()).toMatchObject({
      maxRetries: 9,
      retriesAsked: true,
      backoff: 'exponential',
      resumable: true,
      repeatable: true,
    })
  })

  it('which other providers could serve it', () => {
    const outlook = { otherProviderAvailable: true, availableAt: 5 }
    expect(judgeOf().circumstances(outlook)).toMatchObject(outlook)
  })

  it('the time left for retries, never below zero', () => {
    const left = (retryingMs: number) =>
      judgeOf({ counters: { retryingMs }, settings: { retryForMs: HOUR } }).circumstances().remainingMs
    expect(left(0)).toBe(HOUR)
    expect(left(10 * MINUTE)).toBe(50 * MINUTE)
    expect(left(2 * HOUR)).toBe(0)
  })

  it('whether a retry has half a minute left, or a tenth of a short time', () => {
    const needed = (retryForMs: number) =>
      judgeOf({ settings: { retryForMs } }).circumstances().minRetryBudgetMs
    expect(needed(HOUR)).toBe(30_000)
    expect(needed(MINUTE)).toBe(6_000)
  })
})

describe('a wait of an operation', () => {
  const usage = () => failureOfKind({ kind: 'usage_limit', resetAt: time.now() + HOUR })

  it('ends if all its waits together would be longer than the queue allows', () => {
    const verdict = (snoozedMs: number) => {
      const judge = judgeOf({ counters: { snoozedMs }, settings: { maxWaitMs: 2 * HOUR } })
      return judge.verdict(usage(), judge.circumstances())
    }
    expect(verdict(0)).toMatchObject({ action: 'snooze' })
    expect(verdict(2 * HOUR)).toMatchObject({ action: 'cancel' })
  })

  it('is decided by the rules if a policy throws, which is reported', () => {
    const problems: unknown[] = []
    const policy: Pick<Policy, 'name' | 'verdict'> = {
      name: 'broken',
      verdict: () => {
        throw new Error('oops')
      },
    }
    const judge = judgeOf({ policies: [policy], report: problem => problems.push(problem) })
    expect(judge.verdict(usage(), judge.circumstances())).toMatchObject({ action: 'snooze' })
    expect(problems).toMatchObject([{ about: 'policy', problem: { policy: 'broken' } }])
  })
})
