import { getEventListeners } from 'node:events'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sampled } from '../../test/sampled.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { BACKOFF_NAMES } from '../verdict/backoff.ts'
import { PRESETS } from '../verdict/presets/presets.ts'
import type { Verdict } from '../verdict/verdict.ts'
import { call } from './call.ts'
import { isCallFailed } from './call-failed.ts'
import type { CallFunction } from './context.ts'
import type { CallEvent } from './event.ts'
import type { CallOptions } from './options.ts'

/** What the work does in one try: it ends like this after a while, or never. */
interface Behaviour {
  afterMs: number
  end: { returns: unknown } | { throws: unknown } | 'never' | 'when aborted'
  usd?: number
  commits: boolean
}

const failures = fc.oneof(
  fc.record({
    status: fc.constantFrom(400, 401, 402, 404, 408, 413, 429, 500, 502, 503, 504, 529),
    message: fc.string(),
  }),
  fc
    .integer({ min: 0, max: 100_000 })
    .map(seconds => ({ status: 429, headers: { 'retry-after': String(seconds) } })),
  fc
    .constantFrom('ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'ENOTFOUND', 'ENOENT')
    .map(code => Object.assign(new Error(code), { code })),
  fc
    .constantFrom('rate limit exceeded', 'overloaded_error', 'who knows', 'insufficient_quota')
    .map(text => new Error(text)),
  fc.anything(),
)

const behaviours: fc.Arbitrary<Behaviour> = fc.record({
  afterMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 90_000 })),
  end: fc.oneof(
    { weight: 5, arbitrary: failures.map(throws => ({ throws })) },
    { weight: 1, arbitrary: fc.constant({ returns: 'answer' }) },
    { weight: 1, arbitrary: failures.map(error => ({ returns: { error } })) },
    { weight: 1, arbitrary: fc.constantFrom('never' as const, 'when aborted' as const) },
  ),
  usd: fc.double({ min: 0, max: 3, noNaN: true }),
  commits: fc.boolean(),
})

const verdicts: fc.Arbitrary<Verdict> = fc.oneof(
  fc
    .integer({ min: 0, max: 100_000 })
    .map((delayMs): Verdict => ({ action: 'retry', delayMs, mode: 'again', reason: 'r', rule: 'r' })),
  fc.constant<Verdict>({ action: 'failover', reason: 'r', rule: 'r' }),
  fc.constant<Verdict>({ action: 'cancel', as: 'refused', reason: 'r', rule: 'r' }),
)
const policies = fc.oneof(
  fc.constant(undefined),
  fc.constantFrom(...Object.values(PRESETS)),
  verdicts.map(verdict => () => verdict),
  fc.anything().map(answer => () => answer as Verdict),
)

const options = fc.record({
  budgetMs: fc.option(fc.integer({ min: 1, max: 300_000 }), { nil: undefined }),
  attemptTimeoutMs: fc.option(fc.integer({ min: 1, max: 100_000 }), { nil: undefined }),
  minRetryBudgetMs: fc.option(fc.integer({ min: 0, max: 60_000 }), { nil: undefined }),
  maxRetries: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
  maxCostUsd: fc.option(fc.double({ min: 0, max: 5, noNaN: true }), { nil: undefined }),
  pool: fc.constantFrom(undefined, ['a'], ['a', 'b'], ['a', 'b', 'c']),
  backoff: fc.constantFrom(undefined, ...BACKOFF_NAMES),
  retry: fc.constantFrom(undefined, 'replay' as const, 'none' as const),
  policy: policies,
}) as fc.Arbitrary<CallOptions>

/** The work, recording what a checker needs to know about each try. */
function scripted(script: readonly Behaviour[], time: FakeTime) {
  const tries: { signal: AbortSignal; isFinished: boolean }[] = []
  let timers = 0
  const work: CallFunction<unknown> = ({ signal, charge, committed, attempt }) => {
    const behaviour = script[(attempt - 1) % script.length] as Behaviour
    const self = { signal, isFinished: false }
    tries.push(self)
    return new Promise((resolve, reject) => {
      if (behaviour.end === 'when aborted')
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      if (typeof behaviour.end === 'string') return
      const { end } = behaviour
      timers++
      time.after(behaviour.afterMs, () => {
        timers--
        if (behaviour.usd !== undefined) charge({ usd: behaviour.usd })
        if (behaviour.commits) committed()
        self.isFinished = !signal.aborted
        if ('throws' in end) reject(end.throws)
        else resolve(end.returns)
      })
    })
  }
  return { work, tries, timersOfWork: () => timers }
}

describe('every call', () => {
  it('keeps its promises for any failures, durations and policies', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(behaviours, { minLength: 1, maxLength: 6 }),
        options,
        fc.option(fc.integer({ min: 0, max: 200_000 }), { nil: undefined }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        async (script, given, abortAfterMs, random) => {
          const time = new FakeTime()
          const { work, tries, timersOfWork } = scripted(script, time)
          const controller = new AbortController()
          // Without any limit, a call whose work never ends must not settle.
          const isEndless = given.budgetMs === undefined && given.attemptTimeoutMs === undefined
          const abortMs = abortAfterMs ?? (isEndless ? 1e9 : undefined)
          const callOffAbort = time.after(abortMs ?? Infinity, () => controller.abort())
          const { budgetMs = Infinity, maxRetries = 2 } = given
          const minimum =
            given.minRetryBudgetMs ?? (budgetMs === Infinity ? 0 : Math.min(30_000, budgetMs / 10))
          let retries = 0
          const onEvent = (event: CallEvent) => {
            if (event.type !== 'attempt.failed' || event.verdict.action !== 'retry') return
            retries++
            const remaining = budgetMs - time.monotonic()
            expect(remaining).toBeGreaterThan(minimum)
            expect(event.verdict.delayMs).toBeLessThan(remaining)
          }
          const settled = call(work, {
            ...given,
            time,
            random: () => random,
            signal: controller.signal,
            onEvent,
            onPolicyProblem: () => {},
          }).catch((error: unknown) => error)
          const result = await time.until(settled)
          const endedMs = time.monotonic()
          callOffAbort()

          expect(endedMs).toBeLessThanOrEqual(budgetMs)
          if (abortMs !== undefined) expect(endedMs).toBeLessThanOrEqual(abortMs)
          expect(retries).toBeLessThanOrEqual(maxRetries)
          expect(time.pending - timersOfWork()).toBe(0)
          expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
          for (const { signal, isFinished } of tries) expect(signal.aborted).toBe(!isFinished)
          if (result instanceof Error) {
            expect(isCallFailed(result)).toBe(true)
            expect(isCallFailed(result) && result.attempts.length).toBe(tries.length)
            expect(isCallFailed(result) && ['retry', 'failover'].includes(result.verdict.action)).toBe(false)
          } else expect((result as { attempts: unknown[] }).attempts).toHaveLength(tries.length)
        },
      ),
      { numRuns: sampled(1_000) },
    )
  })
})
