import { describe, expect, it } from 'vitest'
import { classify } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import { KnownFailure } from '../failure/own-error.ts'
import type { Gate } from '../provider/gate.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { OVERSPENT } from './attempt/outcome.ts'
import { call } from './call.ts'
import type { CallFailed } from './call-failed.ts'
import type { CallContext, Resume } from './context.ts'
import type { CallOptions } from './options.ts'

const overloaded = { ...(classify({ status: 529 }) as Failure), effect: 'maybe' as const, sessionId: 's-1' }

/** A call on its own clock, and what each try was given to resume. */
function calling<T>(work: (context: CallContext) => T | Promise<T>, options: CallOptions = {}) {
  const time = new FakeTime()
  const resumes: (Resume | undefined)[] = []
  const called = call(
    context => {
      resumes.push(context.resume)
      return work(context)
    },
    { time, random: () => 0, ...options },
  )
  const ended = called.then(
    value => value,
    (error: CallFailed) => error,
  )
  return { time, resumes, ended: time.until(ended) }
}

const once = (failure: Failure) => (context: CallContext) => {
  if (context.attempt === 1) throw new KnownFailure(failure)
  return 'done'
}

describe('a call whose work can be resumed', () => {
  it('tells the next try which session to continue, and after what', async () => {
    const { resumes, ended } = calling(once(overloaded), { resumable: true, retry: 'none' })
    expect(await ended).toMatchObject({ value: 'done' })
    expect(resumes).toEqual([undefined, { sessionId: 's-1', failure: overloaded }])
  })

  it.each<[string, CallOptions, Partial<Failure>]>([
    ['it is not known to be resumable', { resumable: false }, {}],
    ['nothing had begun', { resumable: true }, { effect: 'none' }],
  ])('starts over if %s', async (_title, options, more) => {
    const { resumes, ended } = calling(once({ ...overloaded, ...more }), options)
    expect(await ended).toMatchObject({ value: 'done' })
    expect(resumes).toEqual([undefined, undefined])
  })

  it('continues it even after no provider admitted the next try for a while', async () => {
    const asked: (string | undefined)[] = []
    const gate: Gate = {
      choose: ({ again }) => {
        asked.push(again)
        if (asked.length === 2) {
          const evidence = { ...overloaded.evidence, rule: 'gate:full' }
          return { failure: { ...overloaded, effect: 'none', evidence, retryAfterMs: 50 }, passedOver: [] }
        }
        return { permit: { provider: 'a', succeeded() {}, failed() {}, released() {} }, passedOver: [] }
      },
      outlook: () => ({ otherProviderAvailable: true }),
      mayRetry: () => true,
    }
    const { resumes, ended } = calling(once(overloaded), {
      resumable: true,
      retry: 'none',
      pool: ['a', 'b'],
      health: gate,
    })
    expect(await ended).toMatchObject({ value: 'done' })
    expect(asked).toEqual([undefined, 'a', 'a'])
    expect(resumes[1]).toEqual({ sessionId: 's-1', failure: { ...overloaded, provider: 'a' } })
  })

  it('continues it even after a try that could not begin', async () => {
    const { sessionId: _sessionId, ...unnamed } = overloaded
    const { resumes, ended } = calling(
      ({ attempt }) => {
        if (attempt === 1) throw new KnownFailure(overloaded)
        if (attempt === 2) throw new KnownFailure({ ...unnamed, effect: 'none' })
        return 'done'
      },
      { resumable: true, retry: 'none', atomic: true },
    )
    expect(await ended).toMatchObject({ value: 'done' })
    expect(resumes.map(resume => resume?.sessionId)).toEqual([undefined, 's-1', 's-1'])
  })

  it('does not start over if there is no session and running it twice would do harm', async () => {
    const { sessionId: _sessionId, ...unnamed } = overloaded
    const { ended } = calling(once(unnamed), { resumable: true, retry: 'none' })
    expect(await ended).toMatchObject({ verdict: { action: 'cancel', as: 'unverifiable' } })
  })
})

describe('work that knows its failure', () => {
  it('is believed', async () => {
    const known = { ...overloaded, evidence: { ...overloaded.evidence, rule: 'agent:special' } }
    const { ended } = calling(() => Promise.reject(new KnownFailure(known)), { maxRetries: 0 })
    expect(await ended).toMatchObject({ failure: known })
  })
})

describe('the grace of a try', () => {
  /** Work that ends a while after it was told to stop. */
  const endingLater = (time: () => FakeTime, ms: number, end: () => unknown) => (context: CallContext) =>
    new Promise((resolve, reject) => {
      context.signal.addEventListener('abort', () => {
        time().after(ms, () => {
          try {
            resolve(end())
          } catch (error) {
            reject(error)
          }
        })
      })
    })
  const tell = (): never => {
    throw new KnownFailure({ ...overloaded, class: 'timeout', kind: 'timeout', costUsd: 0.5 })
  }

  it('lets work report what it had done by its deadline', async () => {
    const called: ReturnType<typeof calling> = calling(
      endingLater(() => called.time, 400, tell),
      { budgetMs: 1_000, graceMs: 500 },
    )
    expect(await called.ended).toMatchObject({
      failure: { class: 'timeout', sessionId: 's-1', costUsd: 0.5 },
    })
    expect(called.time.monotonic()).toBe(1_400)
    expect(called.time.pending).toBe(0)
  })

  it('is not waited for longer than it lasts', async () => {
    const called: ReturnType<typeof calling> = calling(
      endingLater(() => called.time, 900, tell),
      { budgetMs: 1_000, graceMs: 500 },
    )
    expect(await called.ended).toMatchObject({
      failure: { class: 'timeout', evidence: { rule: 'own:timed_out' } },
    })
  })

  it('keeps an answer that comes within it, unless it is no longer wanted', async () => {
    const late: ReturnType<typeof calling> = calling(
      endingLater(
        () => late.time,
        100,
        () => 'late',
      ),
      { budgetMs: 1_000, graceMs: 500 },
    )
    expect(await late.ended).toMatchObject({ value: 'late' })
    const controller = new AbortController()
    const aborted: ReturnType<typeof calling> = calling(
      endingLater(
        () => aborted.time,
        100,
        () => 'late',
      ),
      { graceMs: 500, signal: controller.signal },
    )
    controller.abort()
    expect(await aborted.ended).toMatchObject({ failure: { class: 'aborted' } })
  })

  it('tells work that it exceeded its cost limit by the name of the reason', async () => {
    let name: unknown
    const { ended } = calling(
      context => {
        context.charge({ usd: 3 })
        name = (context.signal.reason as Error).name
        return 'paid'
      },
      { maxCostUsd: 2, graceMs: 500 },
    )
    expect(await ended).toMatchObject({ value: 'paid', costUsd: 3 })
    expect(name).toBe(OVERSPENT)
  })
})
