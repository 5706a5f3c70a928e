import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { testContext } from '../../test/capability/context.ts'
import { classify } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import type { WorkContext } from './context.ts'
import { Mask } from './secret/mask.ts'
import { runWork, workFailure } from './work.ts'

type Work = (params: unknown, context: WorkContext) => Promise<unknown>

const never: Work = () => new Promise(() => {})
/** Ends as soon as its signal is aborted. */
const obedient =
  (end: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => void): Work =>
  (_params, { signal }) =>
    new Promise((resolve, reject) => signal.addEventListener('abort', () => end(resolve, reject)))

describe('a try of the work', () => {
  it('returns, throws at once or rejects', async () => {
    expect(await runWork({ run: async () => 5 }, {}, testContext())).toEqual({ ended: 'returned', value: 5 })
    const error = new Error('x')
    const thrower = () => {
      throw error
    }
    expect(await runWork({ run: thrower }, {}, testContext())).toEqual({ ended: 'threw', error })
    expect(await runWork({ run: () => Promise.reject(error) }, {}, testContext())).toEqual({
      ended: 'threw',
      error,
    })
  })

  it('ends at the smaller of its timeout and the remaining time, and leaves nothing behind', async () => {
    const time = new FakeTime()
    const context = testContext({ remainingMs: 50 })
    let remainingMs = 0
    const run: Work = (_params, context) => {
      remainingMs = context.remainingMs
      return obedient(resolve => resolve(undefined))({}, context)
    }
    const outcome = await time.until(runWork({ run, timeoutMs: 200 }, {}, context, { time }))
    expect(outcome).toMatchObject({ ended: 'timedOut', isStillRunning: false })
    expect([remainingMs, time.monotonic(), time.pending]).toEqual([50, 50, 0])
    expect(getEventListeners(context.signal, 'abort')).toHaveLength(0)
  })

  it('has a grace to end, and is reported as still running after it', async () => {
    const time = new FakeTime()
    const outcome = await time.until(runWork({ run: never, timeoutMs: 100 }, {}, testContext(), { time }))
    expect(outcome).toMatchObject({ ended: 'timedOut', isStillRunning: true })
    expect(time.monotonic()).toBe(10_100)
  })

  it('counts a result at the last moment, but not what a function returns after an abort', async () => {
    const time = new FakeTime()
    const late = { run: obedient(resolve => resolve('result')), timeoutMs: 100 }
    expect(await time.until(runWork(late, {}, testContext(), { time }))).toEqual({
      ended: 'returned',
      value: 'result',
    })
    const controller = new AbortController()
    const running = runWork(late, {}, testContext({ signal: controller.signal }), { time })
    controller.abort('enough')
    expect(await running).toEqual({
      ended: 'aborted',
      reason: 'enough',
      isBegun: true,
      isStillRunning: false,
    })
  })

  it('does not begin once it was aborted, and so has no effect', async () => {
    let isBegun = false
    const run = async () => {
      isBegun = true
    }
    const outcome = await runWork({ run }, {}, testContext({ signal: AbortSignal.abort('stop') }))
    expect(outcome).toEqual({ ended: 'aborted', reason: 'stop', isBegun: false, isStillRunning: false })
    expect(isBegun).toBe(false)
    expect(workFailure(outcome, {})).toMatchObject({ class: 'aborted', effect: 'none' })
  })

  it('keeps what the work said when it was stopped', async () => {
    const controller = new AbortController()
    const said = new Error('stopped after 3 turns')
    const context = testContext({ signal: controller.signal })
    const running = runWork({ run: obedient((_resolve, reject) => reject(said)) }, {}, context)
    controller.abort()
    const outcome = await running
    expect(outcome).toMatchObject({ ended: 'aborted', error: said })
    expect(workFailure(outcome, {})).toMatchObject({ class: 'aborted', effect: 'maybe' })
  })
})

describe('the failure of a try', () => {
  it.each<[unknown, string | undefined]>([
    [{ error: 'Bridge timed out' }, 'timeout'],
    [{ error: 'connection refused' }, 'transient'],
    [{ error: 'Invalid parameter: foo' }, 'permanent'],
    [{ success: false, message: 'service unavailable' }, 'transient'],
    [{ success: false }, 'unknown'],
    [{ success: true, data: 'ok' }, undefined],
    [{ data: [1, 2, 3] }, undefined],
    ['just a string about error 503', undefined],
    [42, undefined],
    [null, undefined],
    [undefined, undefined],
  ])('that returned %j is %s', (value, cls) => {
    expect(workFailure({ ended: 'returned', value }, {})?.class).toBe(cls)
  })

  it('is taken from work that classified it', () => {
    const failure = { ...(classify(new Error('x')) as Failure), kind: 'usage_limit' as const }
    const error = Object.assign(new Error('x'), { code: 'KNOWN_FAILURE', failure })
    expect(workFailure({ ended: 'threw', error }, {})).toEqual(failure)
  })

  it('is one even if what was thrown reads like a success', () => {
    expect(workFailure({ ended: 'threw', error: { success: true } }, {})?.class).toBe('unknown')
  })

  it('hides the secrets of the run, even where they would be cut', () => {
    const secret = 'correct horse battery staple '.repeat(20).trim()
    const error = new Error(`login refused for ${secret}`, { cause: new Error(`password ${secret}`) })
    const failure = workFailure({ ended: 'threw', error }, {}, new Mask([secret]))
    expect(JSON.stringify(failure)).not.toContain('horse')
    expect(failure?.message).toContain('login refused for ***REDACTED***')
    expect(error.message).toContain('horse')
  })
})
