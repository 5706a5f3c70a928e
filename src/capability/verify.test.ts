import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { testContext } from '../../test/capability/context.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { Mask } from './secret/mask.ts'
import type { Check, CheckAnswer } from './verification.ts'
import { verify, verifyNotBefore } from './verify.ts'

function ask(check: Check<unknown>, timeoutMs?: number) {
  return verify({ name: 'x', verification: { check, ...(timeoutMs && { timeoutMs }) } }, {}, testContext())
}

describe('a verification by function', () => {
  it.each<[CheckAnswer, unknown]>([
    [true, { state: 'done' }],
    ['done', { state: 'done' }],
    [{ state: 'done' }, { state: 'done' }],
    [
      { state: 'done', value: { id: 5 } },
      { state: 'done', value: { id: 5 } },
    ],
    [false, { state: 'absent' }],
    ['absent', { state: 'absent' }],
    [{ state: 'absent' }, { state: 'absent' }],
    ['unsure', { state: 'unsure', reason: 'the verification could not tell' }],
    [
      { state: 'unsure', reason: 'replica lags' },
      { state: 'unsure', reason: 'replica lags' },
    ],
  ])('that answers %j means %j', async (answer, wanted) => {
    expect(await ask(() => answer)).toEqual(wanted)
    expect(await ask(async () => answer)).toEqual(wanted)
  })

  it('is unsure about every invalid answer', async () => {
    const strange = fc.anything().filter(value => {
      const state = (value as { state?: unknown } | null)?.state
      return typeof value !== 'boolean' && !['done', 'absent', 'unsure'].includes((state ?? value) as string)
    })
    await fc.assert(
      fc.asyncProperty(strange, async answer => {
        expect((await ask(() => answer as CheckAnswer)).state).toBe('unsure')
      }),
    )
    expect(await ask((() => undefined) as never)).toMatchObject({
      reason: expect.stringContaining('expected {state'),
    })
  })

  it.each<[string, Check<unknown>]>([
    [
      'throws',
      () => {
        throw new Error('database is down')
      },
    ],
    ['rejects', () => Promise.reject(new Error('database is down'))],
  ])('that %s is unsure, with the reason', async (_how, check) => {
    expect(await ask(check)).toEqual({
      state: 'unsure',
      reason: 'the verification failed: Error: database is down',
    })
  })

  it('does not reveal secrets in its reason', async () => {
    const { reason } = (await ask(() => Promise.reject(new Error('401 for Bearer abcdef123456789')))) as {
      reason: string
    }
    expect(reason).not.toContain('abcdef123456789')
  })

  it('that takes too long is unsure, and its signal is aborted', async () => {
    const time = new FakeTime()
    let seen: AbortSignal | undefined
    const check: Check<unknown> = (_params, { signal }) => {
      seen = signal
      return new Promise(() => {})
    }
    const asked = verify({ name: 'x', verification: { check } }, {}, testContext(), { time })
    expect(await time.until(asked)).toEqual({
      state: 'unsure',
      reason: 'the verification gave no answer within 30 s',
    })
    expect(time.monotonic()).toBe(30_000)
    expect(seen?.aborted).toBe(true)
    expect(time.pending).toBe(0)
  })

  it('that is aborted is unsure at once', async () => {
    const controller = new AbortController()
    const check: Check<unknown> = () => {
      controller.abort()
      return new Promise(() => {})
    }
    const context = testContext({ signal: controller.signal })
    expect(await verify({ name: 'x', verification: { check } }, {}, context)).toEqual({
      state: 'unsure',
      reason: 'the verification was aborted',
    })
  })

  it('hides the secrets of the run in what it says', async () => {
    const mask = new Mask(['hunter2'])
    const saying = (answer: CheckAnswer) =>
      verify({ name: 'x', verification: { check: () => answer } }, {}, testContext(), { mask })
    expect(await saying({ state: 'unsure', reason: 'no row for hunter2' })).toMatchObject({
      reason: 'no row for ***REDACTED***',
    })
    expect(await saying({ state: 'done', value: ['hunter2'] })).toMatchObject({ value: ['***REDACTED***'] })
  })

  it('does not begin once it was aborted', async () => {
    let asked = false
    const check: Check<unknown> = () => {
      asked = true
      return true
    }
    const context = testContext({ signal: AbortSignal.abort() })
    expect(await verify({ name: 'x', verification: { check } }, {}, context)).toMatchObject({
      state: 'unsure',
    })
    expect(asked).toBe(false)
  })

  it('is unsure if there is none', async () => {
    const answer = await verify({ name: 'x', verification: undefined }, {}, testContext())
    expect(answer).toEqual({
      state: 'unsure',
      reason: 'capability "x" cannot tell whether its effect is there',
    })
  })
})

describe('the delay of the first verification', () => {
  const verification = { check: () => true, delayMs: 5_000 }
  const maybe = { failure: { effect: 'maybe' } } as never as { failure: never }
  const none = { failure: { effect: 'none' } } as never as { failure: never }

  it('counts from the last try that may have had an effect', () => {
    const attempts = [
      { ...maybe, endedAt: 100 },
      { ...maybe, endedAt: 200 },
      { ...none, endedAt: 300 },
    ]
    expect(verifyNotBefore({ verification }, attempts)).toBe(5_200)
  })

  it('is zero without such a try, or without a delay', () => {
    expect(verifyNotBefore({ verification }, [{ ...none, endedAt: 300 }])).toBe(0)
    expect(verifyNotBefore({ verification: { check: () => true } }, [{ ...maybe, endedAt: 300 }])).toBe(0)
  })
})
