import { describe, expect, it } from 'vitest'
import { FakeTime } from '../testing/core/fake-time.ts'
import type { ScriptStep } from '../testing/core/script.ts'
import { scriptedCall } from '../testing/core/scripted-call.ts'
import { backoffMs } from '../verdict/backoff.ts'
import { call } from './call.ts'
import { isCallFailed } from './call-failed.ts'
import type { CallOptions } from './options.ts'

/**
 * What the guarded and inline retries of an older system did, as it applies to a call here. It counted attempts, we count
 * retries; its jitter began at half a second, ours at one.
 */
const PASSING: ScriptStep = { throws: Object.assign(new Error('x'), { name: 'ConnectionError' }) }
const UNCERTAIN: ScriptStep = {
  throws: Object.assign(new Error('no reply'), { error_kind: 'obsidian_post_write_uncertain' }),
}

async function play(steps: readonly ScriptStep[], options: CallOptions = {}) {
  const time = new FakeTime()
  const work = scriptedCall(steps, 'finally')
  const ended = call(work, { time, random: () => 0.5, ...options }).then(
    ({ value }) => ({ value, error: undefined }),
    (error: unknown) => ({ value: undefined, error }),
  )
  const outcome = await time.until(ended)
  return { ...outcome, calls: work.script.tries.length, waitedMs: time.monotonic() }
}

describe('retries in process', () => {
  it.each<[string, readonly ScriptStep[], CallOptions, number, unknown]>([
    ['a success is one call', [], {}, 1, 'finally'],
    ['a passing failure is repeated', [PASSING], {}, 2, 'finally'],
    ['two of them are repeated twice', [PASSING, PASSING], {}, 3, 'finally'],
    ['a failure that is returned counts as one', [{ ok: { error: 'connection refused' } }], {}, 2, 'finally'],
    ['a limit of one retry is two calls', [PASSING, PASSING, PASSING], { maxRetries: 1 }, 2, undefined],
    [
      'a lasting failure is one call',
      [{ ok: { success: false, message: 'Task not found' } }],
      {},
      1,
      undefined,
    ],
    [
      'one that a person has to fix is one call',
      [{ ok: { error: 'x', error_kind: 'obsidian_plugin_missing' } }],
      {},
      1,
      undefined,
    ],
    ['a write that may be there is one call', [UNCERTAIN], { maxRetries: 10 }, 1, undefined],
  ])('%s', async (_what, steps, options, calls, value) => {
    const played = await play(steps, options)
    expect([played.calls, played.value]).toEqual([calls, value])
    expect(isCallFailed(played.error)).toBe(value === undefined)
  })

  it('reject with what the last try threw', async () => {
    const { error } = await play([PASSING, PASSING], { maxRetries: 1 })
    expect(isCallFailed(error) && error.cause).toBe((PASSING as { throws: unknown }).throws)
  })

  it('do not wait for a failure that needs a person', async () => {
    expect((await play([{ throws: { error: 'x', error_kind: 'obsidian_plugin_disabled' } }])).waitedMs).toBe(
      0,
    )
  })

  it.each([
    [0, 1_000],
    [1, 2_000],
    [2, 4_000],
    [8, 30_000],
  ])('draw the wait before retry %i from 0 to %i ms', (retries, longest) => {
    expect([backoffMs('fullJitter', retries, 0), backoffMs('fullJitter', retries, 1)]).toEqual([0, longest])
  })
})

describe('a deadline', () => {
  it('is not exceeded by a wait: a retry that does not fit is not made', async () => {
    const stated = { fails: { kind: 'overloaded', retryAfterMs: 2_000 } } as const
    expect(await play([stated], { budgetMs: 1_500 })).toMatchObject({ calls: 1, waitedMs: 0 })
  })

  it('limits the time of a try, and is never extended by it', async () => {
    const long = await play([{ hangs: true }], { attemptTimeoutMs: 100_000, budgetMs: 50 })
    expect(long.waitedMs).toBe(50)
    expect(isCallFailed(long.error) && long.error.failure.class).toBe('timeout')
    const short = await play([{ hangs: true }], { attemptTimeoutMs: 30, maxRetries: 0 })
    expect(short.waitedMs).toBe(30)
  })

  it('that has already passed is refused by name', async () => {
    await expect(async () => call(() => 1, { budgetMs: -1 })).rejects.toThrow('budgetMs')
  })
})
