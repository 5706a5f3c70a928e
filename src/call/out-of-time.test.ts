import { describe, expect, it } from 'vitest'
import { FakeTime } from '../testing/core/fake-time.ts'
import { call } from './call.ts'
import type { CallFailed } from './call-failed.ts'
import type { CallOptions } from './options.ts'

const busy = Object.assign(new Error('the backend failed'), { status: 500 })
const hangs = () => new Promise<never>(() => {})

async function failing(works: readonly ((time: FakeTime) => unknown)[], options: CallOptions) {
  const time = new FakeTime()
  let tries = 0
  const error = (await time.until(
    call(() => (works[Math.min(tries++, works.length - 1)] as (time: FakeTime) => never)(time), {
      time,
      random: () => 0.999,
      ...options,
    }).catch((failed: unknown) => failed),
  )) as CallFailed
  return { error, tries, elapsedMs: time.monotonic() }
}

/** Work that fails after a time. */
const failsAfter = (ms: number) => (time: FakeTime) =>
  new Promise<never>((_resolve, reject) => time.after(ms, () => reject(busy)))

describe('a call whose budget ends in a late retry', () => {
  it('fails for the reason that was known, not because its time was over', async () => {
    const { error, tries } = await failing([failsAfter(100), hangs], { budgetMs: 5_000 })
    expect(tries).toBe(2)
    expect(error.failure).toMatchObject({
      class: 'transient',
      kind: 'server_error',
      status: 500,
      effect: 'maybe',
    })
    expect(error.cause).toBe(busy)
    expect(error.attempts.map(({ failure }) => failure?.kind)).toEqual(['server_error', 'timeout'])
  })

  it('keeps the effect of the try that was cut, which may have done something', async () => {
    const refused = () =>
      Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }))
    const { error } = await failing([refused, hangs], { budgetMs: 5_000 })
    expect(error.failure).toMatchObject({ kind: 'network', effect: 'maybe' })
  })

  it('does not begin a try that cannot end', async () => {
    // The wait is cut to half of the 0.9 s that are left, and the fastest try took 0.6 s.
    const { error, tries, elapsedMs } = await failing([failsAfter(600)], { budgetMs: 1_500 })
    expect({ tries, elapsedMs }).toEqual({ tries: 1, elapsedMs: 600 })
    expect(error.failure).toMatchObject({ kind: 'server_error' })
    expect(error.verdict).toMatchObject({
      action: 'cancel',
      reason: expect.stringContaining('a try could not end'),
    })
  })

  it('begins one after a try that hit its own limit, which does not show how quickly an answer comes', async () => {
    const { tries } = await failing([hangs], { budgetMs: 1_500, attemptTimeoutMs: 900, maxRetries: 1 })
    expect(tries).toBe(2)
  })

  it('begins one after a slow failure, because an answer may come sooner', async () => {
    const { tries } = await failing([failsAfter(60_000)], { budgetMs: 100_000 })
    expect(tries).toBe(2)
  })

  it('fails as timed out if its only try was cut, or a try hit its own limit', async () => {
    expect((await failing([hangs], { budgetMs: 5_000 })).error.failure).toMatchObject({ kind: 'timeout' })
    const { error } = await failing([failsAfter(10), hangs], {
      budgetMs: 60_000,
      attemptTimeoutMs: 1_000,
      maxRetries: 1,
    })
    expect(error.failure).toMatchObject({ kind: 'timeout' })
  })
})
