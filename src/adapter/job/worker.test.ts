import { inspect } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { CallFailed } from '../../call/call-failed.ts'
import { classify } from '../../failure/classify.ts'
import type { Failure } from '../../failure/failure.ts'
import { FakeTime } from '../../testing/core/fake-time.ts'
import type { WorkerDefinition } from './definition.ts'
import type { EngineJob, Performed } from './engine-job.ts'
import type { WorkerEvent, WorkerProblem } from './event.ts'
import { readRecord } from './record.ts'
import { defineWorker } from './worker.ts'

const NOW = Date.parse('2026-11-17T03:00:00Z')
const HOUR = 3_600_000
const OVERLOADED = Object.assign(new Error('Overloaded'), { status: 529 })
const TIMEOUT = Object.assign(new Error('the request timed out'), { code: 'ETIMEDOUT' })

/** A worker, and an engine that stores what the worker returns. */
function bench(definition: Partial<WorkerDefinition> = {}) {
  const time = new FakeTime(NOW)
  const events: WorkerEvent[] = []
  const problems: WorkerProblem[] = []
  const run = vi.fn<WorkerDefinition['run']>(() => 'fine')
  const worker = defineWorker({
    run,
    retry: 'replay',
    backoff: 'fixed10s',
    random: () => 0,
    time,
    onEvent: event => events.push(event),
    onProblem: problem => problems.push(problem),
    ...definition,
  })
  let starts = 0
  let data: unknown = { prompt: 'hello' }
  const perform = async (given: Partial<EngineJob> = {}): Promise<Performed> => {
    starts++
    const info = { jobId: '7', queue: 'agents', engine: 'memory', job: { id: 7 } }
    const performed = await worker.perform({ ...info, data, starts, ...given })
    if (performed.data) data = performed.data
    return performed
  }
  return { time, worker, run, events, problems, perform, record: () => readRecord(data) }
}

const throwing = (error: unknown) => () => {
  throw error
}

afterEach(() => vi.restoreAllMocks())

describe('a worker', () => {
  it('passes data and job to the work, and its result to the engine', async () => {
    const { perform, run, worker } = bench()
    expect(await perform()).toMatchObject({ outcome: { outcome: 'done', value: 'fine' }, data: undefined })
    expect(run).toHaveBeenCalledWith(
      { prompt: 'hello' },
      expect.objectContaining({
        jobId: '7',
        queue: 'agents',
        engine: 'memory',
        job: { id: 7 },
        attempt: 1,
        run: 1,
        idempotencyKey: 'memory.agents.7',
        resume: undefined,
      }),
    )
    expect(worker.name).toBe('worker')
  })

  it.each([
    [undefined, 'pass an object with a run function'],
    [{}, 'run must be a function, not undefined'],
    [{ run() {}, clasifier() {} }, 'unknown option clasifier: did you mean classifier?'],
    [{ run() {}, retry: 'always' }, 'retry must be one of none, replay, verify_first, not "always"'],
    [{ run() {}, retry: 'verify_first' }, 'needs verify'],
    [{ run() {}, maxRetries: -1 }, 'maxRetries must be a whole number, 0 or more, not -1'],
    [{ run() {}, maxSnoozes: 1.5 }, 'maxSnoozes must be a whole number, 0 or more, not 1.5'],
    [{ run() {}, maxWaitMs: '1h' }, 'maxWaitMs must be a number of milliseconds above 0, not "1h"'],
    [{ run() {}, defaults: [] }, 'defaults must be an object of names and values, not []'],
    [{ run() {}, pinned: { mulligan: 1 } }, 'pinned must not contain mulligan'],
    [{ run() {}, onEvent: true }, 'onEvent must be a function, not true'],
    [{ run() {}, pause: 'no' }, 'pause must be true or false, not "no"'],
  ])('is refused with what would be right: %j', (definition, message) => {
    expect(() => defineWorker(definition as never)).toThrow(message)
    expect(() => defineWorker(definition as never)).toThrow(/^defineWorker: /)
  })

  it('does not listen to the signal of a job that ends at once, but to that of one that goes on', async () => {
    const { signal } = new AbortController()
    const listens = vi.spyOn(signal, 'addEventListener')
    await bench().perform({ signal })
    await new Promise(setImmediate)
    expect(listens).not.toHaveBeenCalled()

    const { perform, time } = bench({ run: () => new Promise(() => {}) })
    const controller = new AbortController()
    const performed = perform({ signal: controller.signal })
    await new Promise(setImmediate)
    controller.abort(new Error('not needed any more'))
    const { outcome } = await time.until(performed)
    expect(outcome).toMatchObject({ outcome: 'cancel', as: 'cancelled' })
  })

  it('keeps the cost of all tries with the job', async () => {
    const { perform, record, time } = bench({
      run: (_data, { charge }) => {
        charge({ usd: 0.25 })
        throw OVERLOADED
      },
    })
    await perform()
    await time.advance(10_000)
    await perform()
    expect(record()).toMatchObject({ tries: 2, costUsd: 0.5 })
  })

  it('fails if its own code does, instead of keeping the engine waiting', async () => {
    const { perform, run, time } = bench()
    run.mockImplementationOnce(() => {
      time.now = throwing(new Error('a defect'))
    })
    await expect(perform()).rejects.toThrow('a defect')
  })

  it('cancels a job with invalid data, and names the mistakes but no values', async () => {
    const params = z.object({ prompt: z.string(), turns: z.number() }) as never
    const { perform, run } = bench({ params })
    const { outcome, error } = await perform({ data: { prompt: 'my secret', turns: 'many' } })
    expect(outcome).toMatchObject({ outcome: 'cancel', as: 'refused' })
    expect(error?.message).toContain('invalid data: turns: must be a number, not a string')
    expect(error?.message).not.toContain('secret')
    expect(run).not.toHaveBeenCalled()
  })

  it.each(['text', 42, [1, 2]])(
    'cancels a job whose data is not an object, and leaves the data alone: %j',
    async given => {
      const { perform, run } = bench()
      const { outcome, data, error } = await perform({ data: given })
      expect(outcome).toMatchObject({ outcome: 'cancel', as: 'refused' })
      expect(error?.message).toContain('it must be an object')
      expect(data).toBeUndefined()
      expect(run).not.toHaveBeenCalled()
    },
  )

  it('treats missing data as an empty object', async () => {
    const { perform, run } = bench()
    expect(await perform({ data: null })).toMatchObject({ outcome: { outcome: 'done' } })
    expect(run.mock.calls[0]?.[0]).toEqual({})
  })

  it('ignores a record that was broken by hand', async () => {
    const mulligan = {
      retries: 'many',
      snoozes: -3,
      waiting: { for: 'godot', since: 'x' },
      failure: 7,
      starts: null,
    }
    const { perform } = bench({ run: throwing(OVERLOADED) })
    const { record } = await perform({ data: { mulligan }, starts: 1 })
    expect(record).toMatchObject({ retries: 1, snoozes: 0, tries: 1 })
  })
})

describe('the bounds of a job', () => {
  it('count waits for retries and for limits separately', async () => {
    const { perform, run, time, record } = bench()
    run.mockImplementationOnce(throwing(OVERLOADED))
    expect((await perform()).outcome).toMatchObject({ outcome: 'retry', afterMs: 10_000 })
    await time.advance(12_000)
    const limit = Object.assign(new Error('slow down'), { status: 429, headers: { 'retry-after': '60' } })
    run.mockImplementationOnce(throwing(limit))
    expect((await perform()).outcome).toMatchObject({ outcome: 'snooze', until: NOW + 12_000 + 60_000 })
    await time.advance(61_000)
    run.mockImplementationOnce(throwing(OVERLOADED))
    await perform()
    expect(record()).toMatchObject({
      tries: 3,
      retries: 2,
      snoozes: 1,
      retryingMs: 12_000,
      snoozedMs: 61_000,
      firstFailedAt: NOW,
    })
  })

  it('end retries when their time is up, and snoozes when theirs is', async () => {
    const retrying = bench({ run: throwing(OVERLOADED), retryForMs: 60_000 })
    await retrying.perform()
    await retrying.time.advance(59_000)
    expect((await retrying.perform()).outcome).toMatchObject({ outcome: 'cancel', as: 'expired' })
    const limit = Object.assign(new Error('slow down'), { status: 429, headers: { 'retry-after': '3600' } })
    const snoozing = bench({ run: throwing(limit), maxWaitMs: 90 * 60_000, pause: false })
    expect((await snoozing.perform()).outcome.outcome).toBe('snooze')
    await snoozing.time.advance(HOUR)
    expect((await snoozing.perform()).outcome).toMatchObject({ outcome: 'cancel', as: 'expired' })
  })

  it('apply to verdicts of hooks and policies too', async () => {
    const again = { action: 'retry', delayMs: 0, mode: 'again', reason: 'why not', rule: 'mine' } as const
    const { perform, run } = bench({ retry: 'none', policy: () => again, handleFailure: () => again })
    run.mockImplementation(throwing(TIMEOUT))
    expect((await perform()).outcome).toMatchObject({ outcome: 'cancel', as: 'unverifiable' })
  })

  it("are the engine's if it allows less", async () => {
    const { perform } = bench({ run: throwing(OVERLOADED) })
    expect((await perform({ retriesLeft: 0 })).outcome).toMatchObject({ outcome: 'cancel', as: 'exhausted' })
  })

  it("are looked up in the engine only when a job did not succeed, and are the worker's if that fails", async () => {
    const retriesLeft = vi.fn(async () => 0)
    expect((await bench().perform({ retriesLeft })).outcome.outcome).toBe('done')
    expect(retriesLeft).not.toHaveBeenCalled()
    const { perform } = bench({ run: throwing(OVERLOADED) })
    expect((await perform({ retriesLeft })).outcome).toMatchObject({ outcome: 'cancel', as: 'exhausted' })
    expect(retriesLeft).toHaveBeenCalledTimes(1)
    const without = bench({ run: throwing(OVERLOADED) })
    const { outcome } = await without.perform({ retriesLeft: () => Promise.reject(new Error('gone')) })
    expect(outcome.outcome).toBe('retry')
    expect(without.problems).toMatchObject([
      { part: 'retriesLeft', problem: 'the engine could not be asked: gone' },
    ])
  })

  it('count a lost worker as a retry even if a policy snoozes', async () => {
    const later = { action: 'snooze', until: NOW + 1_000, mode: 'again', reason: 'r', rule: 'r' } as const
    const { perform, record } = bench({ policy: () => later })
    expect((await perform({ starts: 2 })).outcome.outcome).toBe('snooze')
    expect(record()).toMatchObject({ retries: 1, snoozes: 1 })
  })

  it('count a lost worker as a retry', async () => {
    const { perform, run, record } = bench()
    expect((await perform({ starts: 3 })).outcome).toMatchObject({ outcome: 'retry', afterMs: 10_000 })
    expect(record()).toMatchObject({
      retries: 1,
      starts: 3,
      failure: { kind: 'runner_lost', effect: 'maybe' },
    })
    expect(run).not.toHaveBeenCalled()
    expect((await perform({ starts: 4 })).outcome.outcome).toBe('done')
  })
})

describe('work that may have taken effect', () => {
  it('resumes its session even after a try to resume it was refused', async () => {
    const { perform, run } = bench({ retry: 'none', resumable: true, atomic: true })
    run.mockImplementationOnce((_data, context) => {
      context.record({ sessionId: 's-1' })
      throw TIMEOUT
    })
    expect((await perform()).outcome).toMatchObject({ outcome: 'retry', mode: 'resume' })
    run.mockImplementationOnce(throwing(OVERLOADED))
    expect((await perform()).outcome).toMatchObject({ outcome: 'retry', mode: 'resume' })
    await perform()
    expect(run.mock.calls[2]?.[1].resume).toMatchObject({ sessionId: 's-1' })
  })

  it('is verified before it starts over, and run if it had no effect', async () => {
    const verify = vi.fn(() => 'absent' as const)
    const { perform, run } = bench({ retry: 'verify_first', verify })
    run.mockImplementationOnce(throwing(TIMEOUT))
    expect((await perform()).outcome.outcome).toBe('retry')
    expect((await perform()).outcome).toEqual({ outcome: 'done', value: 'fine' })
    expect(verify).toHaveBeenCalledTimes(1)
    expect(run).toHaveBeenCalledTimes(2)
  })

  it('is verified again later if the answer is unsure, and in the end not run', async () => {
    const { perform, run } = bench({ retry: 'verify_first', verify: () => 'unsure', maxSnoozes: 1 })
    run.mockImplementationOnce(throwing(TIMEOUT))
    await perform()
    expect((await perform()).outcome).toMatchObject({ outcome: 'snooze', until: NOW + 60_000 })
    expect((await perform()).outcome).toMatchObject({ outcome: 'cancel', as: 'unverifiable' })
    expect(run).toHaveBeenCalledTimes(1)
  })

  it('is not verified too early', async () => {
    const check = vi.fn(() => 'done' as const)
    const { perform, run } = bench({ retry: 'verify_first', verify: { check, delayMs: 30_000 } })
    run.mockImplementationOnce(throwing(TIMEOUT))
    expect((await perform()).outcome).toMatchObject({ outcome: 'retry', afterMs: 30_000 })
    expect((await perform()).outcome).toMatchObject({ outcome: 'snooze', until: NOW + 30_000 })
    expect(check).not.toHaveBeenCalled()
  })

  it('still may have, even after a later try was refused', async () => {
    const { perform, run, record } = bench({ retry: 'verify_first', verify: () => 'unsure', atomic: true })
    run.mockImplementationOnce(throwing(TIMEOUT))
    await perform()
    const at = record().maybeDoneAt
    await perform()
    expect(record().maybeDoneAt).toBe(at)
    expect(at).toBe(NOW)
  })

  it('had no effect if it is a single request that was refused', async () => {
    const { perform } = bench({ retry: 'none', atomic: true, run: throwing(OVERLOADED) })
    expect((await perform()).outcome).toMatchObject({ outcome: 'retry' })
    const whole = bench({ retry: 'none', run: throwing(OVERLOADED) })
    const { outcome, error } = await whole.perform()
    expect(outcome).toMatchObject({ outcome: 'cancel', as: 'unverifiable' })
    expect(error?.message).toContain('set atomic = true')
  })

  it('has taken effect once it calls `committed`', async () => {
    const { perform } = bench({
      retry: 'none',
      atomic: true,
      run: (_data, { committed }) => {
        committed()
        throw OVERLOADED
      },
    })
    expect((await perform()).outcome).toMatchObject({ outcome: 'cancel', as: 'unverifiable' })
  })

  it('resumes its session if it can', async () => {
    const { perform, run, record } = bench({ retry: 'none', resumable: true })
    run.mockImplementationOnce((_data, context) => {
      context.record({ sessionId: 's-1' })
      throw TIMEOUT
    })
    expect((await perform()).outcome).toMatchObject({ outcome: 'retry', mode: 'resume' })
    expect(record().resume).toBe('s-1')
    await perform()
    expect(run.mock.calls[1]?.[1].resume).toMatchObject({ sessionId: 's-1', failure: { kind: 'timeout' } })
  })

  it('is given back when its worker stops, unless it must not run twice', async () => {
    const controller = new AbortController()
    const stop = { signal: controller.signal, abortMeans: 'stop' } as const
    const waiting: WorkerDefinition['run'] = (_data, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
        controller.abort(new Error('stopping'))
      })
    const { perform, record } = bench({ run: waiting })
    expect((await perform(stop)).outcome).toMatchObject({ outcome: 'retry', afterMs: 0, isFree: true })
    expect(record()).toMatchObject({ retries: 0, tries: 0, starts: 1 })
  })

  it('is verified before it runs again, if its worker stopped while it ran', async () => {
    const controller = new AbortController()
    const { perform } = bench({
      retry: 'verify_first',
      verify: () => ({ state: 'done', value: 'was there' }),
      run: (_data, { signal }) => {
        controller.abort(new Error('stopping'))
        throw signal.reason
      },
    })
    await perform({ signal: controller.signal, abortMeans: 'stop' })
    expect((await perform()).outcome).toEqual({ outcome: 'done', value: 'was there' })
  })

  it('is cancelled when the engine cancels it', async () => {
    const controller = new AbortController()
    controller.abort(new Error('not needed any more'))
    const { perform, run } = bench()
    const { outcome } = await perform({ signal: controller.signal })
    expect(outcome).toMatchObject({ outcome: 'cancel', as: 'cancelled' })
    expect(run).not.toHaveBeenCalled()
  })

  it('that stops midway is not run again if it must not run twice', async () => {
    const controller = new AbortController()
    const run: WorkerDefinition['run'] = (_data, { signal }) => {
      controller.abort(new Error('stopping'))
      throw signal.reason
    }
    const { perform } = bench({ run, retry: 'none' })
    const { outcome } = await perform({ signal: controller.signal, abortMeans: 'stop' })
    expect(outcome).toMatchObject({ outcome: 'cancel', as: 'unverifiable' })
  })
})

describe('hooks of a worker', () => {
  const ci = { action: 'snooze', until: NOW + 45_000, mode: 'again', reason: 'CI runs', rule: 'ci' } as const
  it.each([
    ['another', { succeeded: 'better', reason: 'tidied' }, { outcome: 'done', value: 'better' }],
    ['a failure', { failed: OVERLOADED }, { outcome: 'retry', afterMs: 10_000 }],
    ['a verdict', ci, { outcome: 'snooze', until: NOW + 45_000, reason: 'CI runs' }],
    ['nothing', undefined, { outcome: 'done', value: 'fine' }],
  ])('may answer a result with %s', async (_what, answer, outcome) => {
    const { perform, problems } = bench({ handleResult: () => answer })
    expect((await perform()).outcome).toMatchObject(outcome)
    expect(problems).toEqual([])
  })

  it.each([
    ['a bare word', 'cancel'],
    ['a snooze into the past', { action: 'snooze', until: NOW, mode: 'again', reason: 'r', rule: 'r' }],
    ['a retry without a delay', { action: 'retry', mode: 'again', reason: 'r', rule: 'r' }],
    ['a success without a reason', { succeeded: 1 }],
  ])('that answer %s are reported, and what was decided stands', async (_what, answer) => {
    const { perform, problems, run } = bench({ handleFailure: () => answer as never })
    run.mockImplementation(throwing(OVERLOADED))
    expect((await perform()).outcome).toMatchObject({ outcome: 'retry', afterMs: 10_000 })
    expect(problems).toEqual([{ worker: 'worker', part: 'handleFailure', problem: expect.any(String) }])
  })

  it('that throw are reported without secrets', async () => {
    const { perform, problems } = bench({
      handleResult: throwing(new Error('key sk-ant-api03-abcdefghijklmnop')),
    })
    expect((await perform()).outcome).toMatchObject({ outcome: 'done' })
    expect(problems[0]?.problem).toContain('it threw Error')
    expect(problems[0]?.problem).not.toContain('abcdefghijklmnop')
  })

  it('include a classifier that says what a failure is', async () => {
    const classifier: WorkerDefinition['classifier'] = (_input, { builtIn }) =>
      builtIn?.message.includes('quota of the team') ? { kind: 'quota', resetAt: NOW + HOUR } : undefined
    const { perform } = bench({ classifier, run: throwing(new Error('quota of the team is used up')) })
    expect((await perform()).outcome).toMatchObject({ outcome: 'snooze', until: NOW + HOUR })
  })

  it('include a classifier, which is reported if its answer is unusable', async () => {
    const { perform, problems } = bench({ classifier: () => 'throttle' as never, run: throwing(OVERLOADED) })
    expect((await perform()).outcome).toMatchObject({ outcome: 'retry' })
    expect(problems[0]?.part).toContain('classifier')
  })

  it('that go wrong emit a process warning without `onProblem`', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const worker = defineWorker({ run: () => 1, handleResult: () => 'ok' as never })
    await worker.perform({ jobId: '1', queue: 'q', engine: 'e', job: {}, data: {} })
    expect(warned).toHaveBeenCalledWith(expect.stringContaining('worker "worker": handleResult: '), {
      code: 'MULLIGAN_WORKER',
    })
  })
})

describe('the events of a worker', () => {
  it('are the start and the end of each try, with its cost', async () => {
    const { perform, run, events } = bench({ name: 'review', provider: 'anthropic' })
    run.mockImplementationOnce((_data, { charge }) => {
      charge({ usd: 0.5 })
      throw OVERLOADED
    })
    await perform()
    run.mockImplementationOnce((_data, { charge }) => charge({ usd: 0.25 }))
    await perform()
    const about = { worker: 'review', jobId: '7', queue: 'agents', engine: 'memory', at: NOW }
    expect(events).toMatchObject([
      { ...about, type: 'job.started', attempt: 1 },
      {
        ...about,
        type: 'job.ended',
        attempt: 1,
        costUsd: 0.5,
        failure: { kind: 'overloaded', provider: 'anthropic' },
      },
      { ...about, type: 'job.started', attempt: 2 },
      { ...about, type: 'job.ended', attempt: 2, costUsd: 0.25, outcome: { outcome: 'done' } },
    ])
  })

  it('name the parameters of a start and give its meta, without values that may be secret', async () => {
    const events: WorkerEvent[] = []
    const worker = defineWorker({ name: 'review', run: () => 1, onEvent: event => events.push(event) })
    const meta = { team: 'blue', key: 'sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }
    const data = { prompt: 'a private task', meta, mulligan: { starts: 1, tries: 1 } }
    await worker.perform({ jobId: '1', queue: 'q', engine: 'e', job: {}, data })
    expect(events[0]).toMatchObject({ type: 'job.started', worker: 'review', params: ['prompt', 'meta'] })
    expect(events[0]).toMatchObject({ meta: { team: 'blue' } })
    expect(JSON.stringify(events[0])).not.toMatch(/private|AAAAAA/)
  })

  it('cannot break it when their listener throws', async () => {
    const { perform } = bench({ onEvent: throwing(new Error('no')) })
    expect((await perform()).outcome.outcome).toBe('done')
  })
})

describe('a limit', () => {
  const limit = Object.assign(new Error('slow down'), { status: 429, headers: { 'retry-after': '60' } })

  it('holds back the next jobs until it lifts, without a try', async () => {
    const { perform, run, time, worker, events } = bench()
    run.mockImplementationOnce(throwing(limit))
    expect(await perform()).toMatchObject({ outcome: { outcome: 'snooze' }, pauseUntil: NOW + 60_000 })
    expect(worker.pausedUntil).toBe(NOW + 60_000)
    const other = { jobId: '8', data: { prompt: 'other' }, starts: 1 }
    const held = await perform(other)
    expect(held).toMatchObject({
      outcome: { outcome: 'snooze', until: NOW + 60_000 },
      record: { tries: 0, snoozes: 0, starts: 1 },
    })
    expect(run).toHaveBeenCalledTimes(1)
    expect(events).toHaveLength(2)
    await time.advance(60_000)
    expect(worker.pausedUntil).toBe(0)
    expect((await perform({ ...other, data: held.data, starts: 2 })).outcome.outcome).toBe('done')
  })

  it('of another provider holds nothing back', async () => {
    const { perform, worker } = bench({
      provider: 'anthropic',
      classifier: () => ({ kind: 'rate_limit', provider: 'openai' }),
      run: throwing(limit),
    })
    expect((await perform()).pauseUntil).toBeUndefined()
    expect(worker.pausedUntil).toBe(0)
  })

  it('decides about a lost worker even while a limit pauses its jobs, so the work is not repeated', async () => {
    const { perform, run, worker, time } = bench({ retry: 'none' })
    worker.pauseUntil(NOW + 60_000)
    expect(await perform({ starts: 2 })).toMatchObject({
      outcome: { outcome: 'cancel', as: 'unverifiable' },
      record: { failure: { kind: 'runner_lost' } },
    })
    await time.advance(60_000)
    expect(run).not.toHaveBeenCalled()
  })

  it('gives engines an error whose cause has no secrets', async () => {
    const key = `sk-ant-api03-${'abcdEFGH12345678'.repeat(5)}`
    const { perform } = bench({
      run: throwing(Object.assign(new Error(`503 with ${key}`), { status: 503, key })),
    })
    const { cause } = (await perform()).error as Error & { cause: Error }
    expect(cause.message).toContain('503 with')
    expect(inspect(cause, { depth: 9 })).not.toContain(key)
  })

  it('that a call met is waited for until a provider of its pool is available', async () => {
    const failure = classify(limit, { now: NOW, provider: 'anthropic' }) as Failure
    const verdict = { action: 'snooze', until: NOW + 5_000, mode: 'again', reason: 'r', rule: 'r' } as const
    const { perform } = bench({
      run: throwing(new CallFailed({ failure, verdict, attempts: [], costUsd: null }, limit)),
    })
    expect(await perform()).toMatchObject({
      outcome: { outcome: 'snooze', until: NOW + 5_000 },
      record: { failure: { provider: 'anthropic', kind: 'rate_limit' } },
    })
  })
})
