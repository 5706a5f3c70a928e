import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Ledger } from '../../ledger/ledger.ts'
import { openLedger, type SqliteLedger } from '../../ledger/sqlite/sqlite-ledger.ts'
import type { Health } from '../../provider/health.ts'
import { FakeTime } from '../../testing/core/fake-time.ts'
import { realTime, type Time } from '../../time/time.ts'
import type { RetryPolicy } from '../../verdict/retry-policy.ts'
import type { EngineJob } from '../job/engine-job.ts'
import { readRecord } from '../job/record.ts'
import { defineWorker, type JobWorker } from '../job/worker.ts'
import type { EngineDesk, HandedBack } from './desk.ts'

const OVERLOADED = Object.assign(new Error('Overloaded'), { status: 529 })
const LIMITED = Object.assign(new Error('rate limited'), { status: 429, headers: { 'retry-after': '60' } })
/** More than the ledger keeps. */
const LARGE = 'x'.repeat(100_000)
const REFUSED = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), {
  code: 'ECONNREFUSED',
  syscall: 'connect',
})
const UNKNOWN = new Error('flurbl the wug')

/** An engine that does nothing by itself: tests start its jobs. */
const desk: EngineDesk = {
  engine: 'mine',
  queue: 'q',
  resume: async () => true,
  cancel: async () => true,
  state: async () => ({ state: 'waiting' }),
}

describe('a connected worker', () => {
  let ledger: SqliteLedger
  let worker: JobWorker
  let script: unknown[]
  let runs: number
  let result: unknown
  const problems: string[] = []

  beforeEach(async () => {
    ledger = await openLedger({ file: ':memory:' })
    runs = 0
    result = { answer: 42 }
    script = []
  })
  afterEach(async () => {
    await (await worker.connection)?.close()
    expect(await ledger.check()).toEqual([])
    await ledger.close()
    problems.length = 0
  })

  const define = (retry: RetryPolicy = 'replay') =>
    defineWorker({
      name: 'review',
      retry,
      atomic: true,
      ...(retry === 'verify_first' ? { verify: () => ({ state: 'done' as const, value: result }) } : {}),
      provider: 'anthropic',
      onProblem: ({ problem }) => problems.push(problem),
      run: () => {
        runs++
        const error = script.shift()
        if (error !== undefined) throw error
        return result
      },
    })
  const connect = async (place: Ledger = ledger, retry?: RetryPolicy) => {
    worker = define(retry)
    worker.attend(desk)
    await worker.connect({ ledger: place })
  }
  const job = (data: unknown = { prompt: 'hello' }, starts = 1): EngineJob => ({
    ...{ engine: 'mine', queue: 'q', jobId: '7', job: {}, data, starts, createdAt: 1_000 },
  })
  const only = async () => {
    const { items } = await ledger.list({ engine: 'mine' })
    expect(items).toHaveLength(1)
    return items[0] as NonNullable<(typeof items)[0]>
  }

  it('that dies after the ledger has the park and before the engine does, parks the job again', async () => {
    await connect()
    script = [UNKNOWN]
    const first = await worker.perform(job())
    expect(first.outcome).toMatchObject({ outcome: 'park', for: 'label', until: expect.any(Number) })
    // The engine got nothing of it, and starts the job again with its old data.
    const { outcome, record } = await worker.perform(job(undefined, 2))
    expect(outcome).toMatchObject({ outcome: 'park', for: 'label' })
    expect(runs).toBe(1)
    expect(record).toMatchObject({ starts: 2, operation: (await only()).id })
  })

  it('that fails before its worker has connected waits in the ledger all the same', async () => {
    worker = define()
    worker.attend(desk)
    const connecting = worker.connect({ ledger })
    script = [UNKNOWN]
    const { outcome } = await worker.perform(job())
    expect(outcome).toMatchObject({ outcome: 'park', for: 'label' })
    await connecting
  })

  it('that dies after the ledger has the success and before the engine does, does not do the work twice', async () => {
    await connect(ledger, 'none')
    script = [Object.assign(OVERLOADED, {})]
    const data = (await worker.perform({ ...job(), retriesLeft: 5 })).data
    // Not repeatable, so it ended; a person retries it in the engine, and it succeeds.
    const done = await worker.perform(job(data, 2))
    expect(done.outcome).toMatchObject({ outcome: 'done' })
    const again = await worker.perform(job(data, 3))
    expect(again.outcome).toEqual({ outcome: 'done', value: { answer: 42 } })
    expect(runs).toBe(2)
    expect(await only()).toMatchObject({ state: 'succeeded' })
  })

  it('makes a result again that the ledger could not keep whole, rather than pass on its beginning', async () => {
    await connect()
    result = LARGE
    script = [OVERLOADED]
    const { data } = await worker.perform(job())
    await worker.perform(job(data, 2))
    for (const lost of [data, (await worker.perform(job(data, 2))).data])
      expect((await worker.perform(job(lost, 3))).outcome).toEqual({ outcome: 'done', value: result })
    expect(await only()).toMatchObject({ state: 'succeeded', resultCut: true })
  })

  it.each([
    ['none', undefined],
    ['verify_first', LARGE],
  ] as const)('with retry %s never passes on the beginning of a result', async (retry, value) => {
    await connect(ledger, retry)
    result = LARGE
    script = [REFUSED]
    const { data } = await worker.perform(job())
    await worker.perform(job(data, 2))
    const { outcome } = await worker.perform(job(data, 3))
    expect(outcome).toEqual({ outcome: 'done', value })
    expect(runs).toBe(2)
  })

  it('that dies after the ledger has the retry and before the engine does, waits as decided', async () => {
    await connect()
    script = [OVERLOADED]
    await worker.perform(job())
    const { outcome, record } = await worker.perform(job(undefined, 2))
    expect(outcome).toMatchObject({ outcome: 'snooze' })
    expect(record).toMatchObject({ tries: 1, retries: 1 })
    expect(runs).toBe(1)
  })

  it('tells the others of a limit before it asks its engine for anything', async () => {
    await connect()
    script = [LIMITED]
    const heard: unknown[] = []
    const retriesLeft = async () => {
      heard.push((await worker.perform({ ...job(), jobId: '8' })).outcome)
      return 3
    }
    const { outcome } = await worker.perform({ ...job(), retriesLeft })
    expect(outcome).toMatchObject({ outcome: 'snooze' })
    expect(heard).toMatchObject([{ outcome: 'snooze', reason: expect.stringContaining('not tried') }])
    expect(runs).toBe(1)
  })

  it('asks again before a limit is over, because it may end early, and more rarely the longer it lasts', async () => {
    await connect()
    const begun = Date.now()
    script = [Object.assign(new Error('limited'), { status: 429, headers: { 'retry-after': '36000' } })]
    const met = await worker.perform(job())
    const until = (met.outcome as { until: number }).until - begun
    expect(until).toBeGreaterThan(25_000)
    expect(until).toBeLessThan(60_000)
    expect(await only()).toMatchObject({
      state: 'scheduled',
      dueAt: expect.toSatisfy(at => at > begun + 3e7),
    })
    // Another job, which has waited an hour in all.
    const waited = { mulligan: { starts: 1, snoozed_ms: 3_600_000 } }
    const held = await worker.perform({ ...job(waited, 2), jobId: '8' })
    expect((held.outcome as { until: number }).until - begun).toBeGreaterThan(350_000)
    expect((held.outcome as { until: number }).until - begun).toBeLessThan(450_000)
    expect(runs).toBe(1)
    await (worker.link as unknown as { health: Health }).health.reset('anthropic')
    expect((await worker.perform(job(met.data, 2))).outcome).toMatchObject({ outcome: 'done' })
    expect(await only()).toMatchObject({ state: 'succeeded', attempts: 2 })
  })

  /** Starts a job whenever its engine would, until it ends. Counts its starts. */
  const startsUntilDone = async (provider: string | undefined, limitMs: number) => {
    const begun = Date.now()
    let now = begun
    const time = { ...realTime, now: () => now }
    await ledger.close()
    ledger = await openLedger({ file: ':memory:', time })
    worker = defineWorker({
      name: 'review',
      retry: 'replay',
      ...(provider === undefined ? {} : { provider }),
      time,
      run: () => {
        runs++
        const left = begun + limitMs - now
        if (left <= 0) return 'done'
        throw Object.assign(new Error('limited'), {
          status: 429,
          headers: { 'retry-after': String(Math.ceil(left / 1_000)) },
        })
      },
    })
    worker.attend(desk)
    await worker.connect({ ledger })
    let { outcome, data } = await worker.perform(job())
    let starts = 1
    while (outcome.outcome === 'snooze' && starts < 1_000) {
      now = outcome.until
      ;({ outcome, data } = await worker.perform(job(data, ++starts)))
    }
    return { starts, outcome, waitedMs: now - begun }
  }

  it('waits a limit out where no provider is named, because every look would be a try', async () => {
    const { starts, outcome } = await startsUntilDone(undefined, 5 * 3_600_000)
    expect(outcome).toMatchObject({ outcome: 'done' })
    expect([starts, runs]).toEqual([2, 2])
  })

  it('looks at most 100 times within a week, because an engine may count its steps', async () => {
    const { starts, outcome } = await startsUntilDone('anthropic', 7 * 86_400_000)
    expect(outcome).toMatchObject({ outcome: 'done' })
    expect(runs).toBe(2)
    expect(starts).toBeGreaterThan(50)
    expect(starts).toBeLessThan(100)
  })

  it('verifies a job that a person retries, where that can be', async () => {
    await connect(ledger, 'verify_first')
    script = [Object.assign(new Error('no such page'), { status: 404 })]
    const refused = await worker.perform({ ...job(), data: {} })
    expect(refused.outcome).toMatchObject({ outcome: 'cancel' })
    // A refusal proves that nothing happened; a reset proves nothing.
    expect((await worker.perform(job(refused.data, 2))).outcome).toMatchObject({ outcome: 'done' })
    expect(runs).toBe(2)
    script = [Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })]
    const reset = await worker.perform({ ...job(), jobId: '8', retriesLeft: 0 })
    expect(reset.outcome).toMatchObject({ outcome: 'cancel', as: 'exhausted' })
    const again = await worker.perform({ ...job(reset.data, 2), jobId: '8' })
    expect(again.outcome).toEqual({ outcome: 'done', value: { answer: 42 } })
    expect(runs).toBe(3)
  })

  it('gives a job back with what must be verified, should its engine have lost it', async () => {
    const given: HandedBack[] = []
    worker = define('verify_first')
    const resume = async (each: HandedBack) => given.push(each) > 0
    worker.attend({ ...desk, resume })
    await worker.connect({ ledger })
    script = [UNKNOWN]
    await worker.perform(job())
    const { id } = await only()
    await ledger.transaction(writes => writes.unpark(id, { by: 'person', reason: 'asked' }))
    await vi.waitFor(() => expect(given).toHaveLength(1))
    const { outcome } = await worker.perform(job(given[0]?.data(), 2))
    expect(outcome).toEqual({ outcome: 'done', value: { answer: 42 } })
    expect(runs).toBe(1)
  })

  it('gives a job back although the ledger could not be used when that began', async () => {
    const given: HandedBack[] = []
    worker = define()
    const resume = async (each: HandedBack) => given.push(each) > 0
    worker.attend({ ...desk, resume })
    vi.spyOn(ledger, 'advertise').mockRejectedValueOnce(new Error('no connection'))
    await worker.connect({ ledger })
    script = [UNKNOWN]
    await worker.perform(job())
    const { id } = await only()
    await ledger.transaction(writes => writes.unpark(id, { by: 'person', reason: 'asked' }))
    await vi.waitFor(() => expect(given).toHaveLength(1), { timeout: 10_000 })
    expect(problems).toEqual([expect.stringContaining('cannot be handed back')])
  })

  it('keeps its queues apart in the ledger, although the first of them began later', async () => {
    worker = define()
    worker.attend(desk)
    worker.attend({ ...desk, queue: 'other' })
    vi.spyOn(ledger, 'advertise').mockRejectedValueOnce(new Error('no connection'))
    await worker.connect({ ledger })
    const served = async () => (await ledger.runners()).map(({ capabilities }) => capabilities)
    await vi.waitFor(async () => expect(await served()).toHaveLength(2), { timeout: 10_000 })
    expect((await served()).flat().sort()).toEqual(['engine:mine/other', 'engine:mine/q'])
  })

  it('does not wait for an engine that has not recorded a try when it is closed', async () => {
    // The pause before the engine is asked again never ends, nor does the patience of a close.
    const time: Time = {
      ...realTime,
      after: (ms, then) => realTime.after(ms === 20 || ms === 10_000 ? 1e9 : ms, then),
    }
    await ledger.close()
    ledger = await openLedger({ file: ':memory:', time })
    let asked = 0
    worker = defineWorker({ retry: 'replay', time, run: () => Promise.reject(UNKNOWN) })
    worker.attend({ ...desk, resume: async () => ++asked > 1e9 })
    await worker.connect({ ledger })
    await worker.perform(job())
    const { id } = await only()
    await ledger.transaction(writes => writes.unpark(id, { by: 'person', reason: 'asked' }))
    await vi.waitFor(() => expect(asked).toBe(1))
    await (await worker.connection)?.close()
    expect(worker.link).toBeUndefined()
  })

  it.each(['its check was cut off', 'its result was refused'])(
    'verifies a job that may have taken effect, although only the ledger knows that %s',
    async why => {
      let laterMs = 0
      const time = { ...realTime, now: () => realTime.now() + laterMs }
      await ledger.close()
      ledger = await openLedger({ file: ':memory:', time })
      const expired = new AbortController()
      const checks: string[] = []
      worker = defineWorker({
        name: 'review',
        retry: 'verify_first',
        time,
        handleResult: () => ({ action: 'retry', delayMs: 0, mode: 'again', reason: 'refused', rule: 'mine' }),
        verify: (_data, { signal }) => {
          checks.push(signal.aborted ? 'too late' : 'asked')
          // The engine takes the job away while it is asked.
          if (why === 'its check was cut off' && checks.length === 1) expired.abort()
          return checks.length === 1 && expired.signal.aborted ? new Promise(() => {}) : 'done'
        },
        run: () => ++runs,
      })
      worker.attend(desk)
      await worker.connect({ ledger })
      // The engine is told of no end: each came after it had taken the job for expired.
      if (why === 'its result was refused') await worker.perform(job())
      else {
        const lost = await worker.perform(job(undefined, 2))
        expect(lost.outcome).toMatchObject({ outcome: 'retry' })
        laterMs += 3_600_000
        const cut = await worker.perform({ ...job(undefined, 3), signal: expired.signal })
        expect(cut.outcome).toMatchObject({ outcome: 'snooze', reason: expect.stringContaining('aborted') })
      }
      laterMs += 3_600_000
      const before = runs
      const { outcome } = await worker.perform(job(undefined, why === 'its result was refused' ? 2 : 4))
      expect(outcome).toMatchObject({ outcome: 'done' })
      expect(runs).toBe(before)
      expect(checks.at(-1)).toBe('asked')
    },
  )

  it('says of every start how it ended, also of one that is held', async () => {
    const events: string[] = []
    worker = defineWorker({
      name: 'review',
      provider: 'anthropic',
      onEvent: ({ type }) => events.push(type),
      run: () => Promise.reject(LIMITED),
    })
    await worker.connect({ ledger })
    await worker.perform(job())
    await worker.perform({ ...job(), jobId: '8' })
    expect(events).toEqual(['job.started', 'job.ended', 'job.started', 'job.ended'])
  })

  it('counts a start that neither knows as a lost worker', async () => {
    await connect()
    const { record } = await worker.perform(job(undefined, 2))
    expect(record.failure).toMatchObject({ kind: 'runner_lost' })
    expect(await only()).toMatchObject({ failure: { kind: 'runner_lost' } })
  })

  it('ends a job as its work did, although its engine cannot be asked how to add it again', async () => {
    await connect()
    script = [OVERLOADED]
    const again = () => Promise.reject(new Error('no connection'))
    const { data, outcome } = await worker.perform({ ...job(), again })
    expect(outcome).toMatchObject({ outcome: 'retry' })
    const done = await worker.perform({ ...job(data, 2), again })
    expect(done.outcome).toEqual({ outcome: 'done', value: { answer: 42 } })
    expect(await only()).toMatchObject({ state: 'succeeded' })
  })

  it('takes a job with the id of an earlier one as another', async () => {
    await connect()
    script = [LIMITED, LIMITED]
    await worker.perform(job())
    await worker.link?.health.outlook({ pool: ['anthropic'], tried: new Set() })
    await worker.perform({ ...job(undefined, 2), createdAt: 2_000 })
    expect((await ledger.list({ engine: 'mine' })).items).toHaveLength(2)
  })

  it('ends a job that was cancelled in the ledger, when its engine starts it', async () => {
    await connect()
    script = [OVERLOADED]
    const { data } = await worker.perform(job())
    const { id } = await only()
    await ledger.transaction(writes => writes.cancel(id, 'not needed'))
    // A worker carries it out.
    await vi.waitFor(async () => expect(await ledger.get(id)).toMatchObject({ state: 'dead' }))
    const { outcome } = await worker.perform(job(data, 2))
    expect(outcome).toMatchObject({ outcome: 'cancel', as: 'cancelled' })
    expect(runs).toBe(1)
  })

  it('does not run a job that its engine starts only to end it', async () => {
    worker = define()
    let data: unknown
    const ends: unknown[] = []
    const cancel = async () => {
      // BullMQ cannot end a delayed job: it is made due, and a worker starts it at once.
      ends.push((await worker.perform(job(data, 2))).outcome)
      return true
    }
    worker.attend({ ...desk, cancel })
    await worker.connect({ ledger })
    script = [UNKNOWN]
    data = (await worker.perform(job())).data
    const { id } = await only()
    await ledger.transaction(writes => writes.cancel(id, 'not needed'))
    await vi.waitFor(async () =>
      expect(await ledger.get(id)).toMatchObject({ state: 'dead', deadAs: 'cancelled' }),
    )
    expect(ends).toMatchObject([{ outcome: 'cancel', as: 'cancelled' }])
    expect(runs).toBe(1)
  })

  it('decides alone while the ledger does not answer, says so once, and catches up', async () => {
    let isDown = false
    const failing = new Proxy(ledger, {
      get(target, name) {
        const value = Reflect.get(target, name) as unknown
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          if (isDown && !['onChange', 'close'].includes(String(name))) throw new Error('no connection')
          return (value as (...given: unknown[]) => unknown).apply(target, args)
        }
      },
    })
    await connect(failing)
    isDown = true
    script = [UNKNOWN, OVERLOADED]
    const unknown = await worker.perform(job())
    expect(unknown.outcome).toMatchObject({ outcome: 'cancel', as: 'refused' })
    const busy = await worker.perform({ ...job(), jobId: '8' })
    expect(busy.outcome).toMatchObject({ outcome: 'retry' })
    expect(readRecord(busy.data)).toMatchObject({ retries: 1 })
    expect(problems.filter(problem => problem.includes('decides alone'))).toHaveLength(1)
    expect((await ledger.list()).items).toEqual([])
    isDown = false
    await vi.waitFor(async () => expect((await ledger.list({ engine: 'mine' })).items).toHaveLength(2), {
      timeout: 10_000,
    })
    const states = (await ledger.list({ engine: 'mine' })).items.map(({ state }) => state)
    expect(states.sort()).toEqual(['dead', 'scheduled'])
    // An engine that adds a job anew makes it another by its birth.
    await worker.perform({ ...job(busy.data, 2), jobId: '8', createdAt: 2_000 })
    await worker.perform({ ...job(unknown.data, 2), createdAt: 2_000 })
    const { items } = await ledger.list({ engine: 'mine' })
    expect(items.map(({ state }) => state)).toEqual(['succeeded', 'succeeded'])
  })

  it('can be closed while its engine does not answer', async () => {
    // Ten seconds are a moment here.
    const after = (ms: number, then: () => void) => realTime.after(Math.min(ms, 50), then)
    worker = defineWorker({
      retry: 'replay',
      time: { ...realTime, after },
      run: () => Promise.reject(UNKNOWN),
    })
    let isAsked = false
    const resume = () => {
      isAsked = true
      return new Promise<boolean>(() => {})
    }
    worker.attend({ ...desk, resume })
    await worker.connect({ ledger })
    await worker.perform(job())
    const { id } = await only()
    await ledger.transaction(writes => writes.unpark(id, { by: 'person', reason: 'asked' }))
    await vi.waitFor(() => expect(isAsked).toBe(true))
    await (await worker.connection)?.close()
    expect(worker.link).toBeUndefined()
  })

  it('leaves nothing behind when it is closed while it begins', async () => {
    const time = new FakeTime()
    const place = await openLedger({ file: ':memory:', time })
    worker = define()
    worker.attend(desk)
    const connection = await worker.connect({ ledger: place })
    await connection.close()
    await time.advance(1)
    await place.close()
    expect(time.pending).toBe(0)
  })

  it('works without a ledger that is not there yet', async () => {
    worker = define()
    await worker.connect({ ledger: 'http://127.0.0.1:9/' })
    expect(worker.link).toBeUndefined()
    script = [UNKNOWN]
    expect((await worker.perform(job())).outcome).toMatchObject({ outcome: 'cancel' })
    expect(problems).toEqual([expect.stringContaining('decides alone')])
  })

  it.each([
    [{}],
    [{ ledger: '' }],
    [{ ledger: 5 }],
    [{ ledger: ':memory:', signatures: [] }],
    [{ ledger: ':memory:', providers: [{ id: 'a', maxConcurrent: 0 }] }],
  ])('refuses %j, and can then be connected', async options => {
    worker = define()
    await expect(worker.connect(options as never)).rejects.toThrow(/^(?:connect|health): /)
    await worker.connect({ ledger })
    expect(worker.link).toBeDefined()
    await expect(async () => worker.connect({ ledger })).rejects.toThrow('already connected')
  })
})
