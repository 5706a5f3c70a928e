import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import type { WorkerDefinition } from '../../../src/adapter/job/definition.ts'
import type { WorkerEvent } from '../../../src/adapter/job/event.ts'
import { defineWorker } from '../../../src/adapter/job/worker.ts'
import type { ConformingEngine, EngineBench, ShownJob } from './bench.ts'
import { describeCitizens } from './citizens.ts'
import type { TestServer } from './servers.ts'

const HOUR = 3_600_000
const OVERLOADED = Object.assign(new Error('Overloaded'), { status: 529 })
const REFUSED = Object.assign(new Error('prompt is missing'), { status: 400 })
const TIMEOUT = Object.assign(new Error('the request timed out'), { code: 'ETIMEDOUT' })
const LOGIN = Object.assign(new Error('invalid x-api-key'), { status: 401 })

function limited(now: number): Error {
  const headers = { 'retry-after': String(HOUR / 1_000) }
  return Object.assign(new Error(`rate limited at ${now}`), { status: 429, headers })
}

/** The promises that every adapter keeps, tested on the real engine. */
export function describeConformance(engine: ConformingEngine): void {
  describe(`verdicts in ${engine.name}`, () => {
    let bench: EngineBench
    const events: WorkerEvent[] = []
    const runs: unknown[] = []
    const problems: string[] = []
    /** Behaviour of the next tries, in order; later tries succeed. */
    let script: (() => unknown)[] = []

    const start = async (definition: Partial<WorkerDefinition> = {}) => {
      bench = await engine.open()
      const worker = defineWorker({
        retry: 'replay',
        backoff: 'fixed10s',
        random: () => 0,
        onEvent: event => events.push(event),
        onProblem: ({ problem }) => problems.push(problem),
        run: data => {
          runs.push(data)
          const step = script.shift()
          return step ? step() : { answer: 42 }
        },
        ...definition,
      })
      await bench.start(worker)
      return worker
    }
    const fail = (error: unknown) => () => {
      throw error
    }
    const shown = async (id: string, isRight: (job: ShownJob) => boolean) => {
      await vi.waitFor(async () => expect(await bench.show(id)).toSatisfy(isRight), {
        timeout: 15_000,
        interval: 15,
      })
      return bench.show(id)
    }
    const inState = (id: string, state: ShownJob['state']) => shown(id, job => job.state === state)
    const kept = ({ data }: ShownJob) => data.mulligan as Record<string, never>

    afterEach(async () => {
      await bench.close()
      for (const list of [events, runs, problems]) list.length = 0
      script = []
    })

    it('a successful job is done; the work gets its data and returns its result', async () => {
      await start({ defaults: { model: 'small', effort: 'low' }, pinned: { effort: 'high' } })
      const id = await bench.add({ prompt: 'hello', model: 'large' })
      const job = await inState(id, 'done')
      expect(runs).toEqual([{ prompt: 'hello', model: 'large', effort: 'high' }])
      if (engine.storesResults) expect(job.value).toEqual({ answer: 42 })
      expect(events.map(({ type, attempt }) => [type, attempt])).toEqual([
        ['job.started', 1],
        ['job.ended', 1],
      ])
      expect(events[1]).toMatchObject({ engine: engine.name.split(' ')[0], jobId: expect.any(String) })
    })

    it('a transient failure is retried after its delay; failure, verdict and counters stay with the job', async () => {
      script = [fail(OVERLOADED), fail(OVERLOADED)]
      await start()
      const before = Date.now()
      const id = await bench.add({ prompt: 'hello' })
      const job = await inState(id, 'delayed')
      expect(job.attemptsUsed).toBe(1)
      expect(job.dueAt).toBeGreaterThanOrEqual(before + 10_000 - engine.precisionMs)
      expect(job.dueAt).toBeLessThan(Date.now() + 10_000 + engine.precisionMs)
      expect(kept(job)).toMatchObject({
        retries: 1,
        snoozes: 0,
        failure: { class: 'transient', kind: 'overloaded' },
        verdict: { action: 'retry', delay_ms: 10_000 },
        first_failed_at: expect.stringMatching(/^2\d{3}-/),
      })
      await bench.makeDue(id)
      const again = await shown(id, job => kept(job)?.retries === (2 as never) && job.state === 'delayed')
      expect(kept(again)).toMatchObject({ tries: 2, first_failed_at: kept(job).first_failed_at })
      await bench.makeDue(id)
      const done = await inState(id, 'done')
      if (engine.storesResults) {
        expect(done.value).toEqual({ answer: 42 })
        expect(kept(done)).toMatchObject({ tries: 3, retries: 2, succeeded_at: expect.any(String) })
        for (const over of ['waiting', 'verdict', 'resume']) expect(kept(done)).not.toHaveProperty(over)
      }
      expect(runs).toEqual([{ prompt: 'hello' }, { prompt: 'hello' }, { prompt: 'hello' }])
      expect(events.at(-1)).toMatchObject({ type: 'job.ended', attempt: 3, outcome: { outcome: 'done' } })
    })

    it('the retry limit of the engine ends the job', async () => {
      script = [fail(OVERLOADED), fail(OVERLOADED), fail(OVERLOADED)]
      await start()
      const id = await bench.add({ prompt: 'hello' }, 1)
      await inState(id, 'delayed')
      await bench.makeDue(id)
      const job = await inState(id, 'failed')
      expect(kept(job)).toMatchObject({ retries: 1, verdict: { action: 'cancel', as: 'exhausted' } })
      expect(job.error).toContain('cancelled (exhausted)')
      expect(runs).toHaveLength(2)
    })

    it('a provider limit snoozes the job until it lifts, uses up no attempt, and is bounded', async () => {
      script = [() => fail(limited(Date.now()))(), () => fail(limited(Date.now()))()]
      await start({ maxSnoozes: 1, pause: false })
      const before = Date.now()
      const id = await bench.add({ prompt: 'hello' }, 1)
      const job = await inState(id, 'delayed')
      expect(job.attemptsUsed).toBe(0)
      expect(job.dueAt).toBeGreaterThanOrEqual(before + HOUR - engine.precisionMs)
      expect(job.dueAt).toBeLessThan(Date.now() + HOUR + engine.precisionMs)
      expect(kept(job)).toMatchObject({
        retries: 0,
        snoozes: 1,
        failure: { class: 'throttle' },
        verdict: { action: 'snooze' },
        throttled_until: expect.any(String),
      })
      await bench.makeDue(id)
      const ended = await inState(id, 'failed')
      expect(kept(ended)).toMatchObject({ snoozes: 1, verdict: { action: 'cancel', as: 'exhausted' } })
      expect(runs).toHaveLength(2)
    })

    it('while a limit stops one job, other jobs of the provider do not start', async () => {
      script = [() => fail(limited(Date.now()))()]
      await start({ provider: 'anthropic' })
      const first = await bench.add({ prompt: 'first' })
      await inState(first, 'delayed')
      const second = await bench.add({ prompt: 'second' })
      const third = await bench.add({ prompt: 'third' })
      for (const id of [second, third])
        await vi.waitFor(async () => expect(await bench.isHeldBack(id)).toBe(true), {
          timeout: 15_000,
          interval: 15,
        })
      expect(runs).toEqual([{ prompt: 'first' }])
    })

    it('a refusal is final, and the engine shows its reason', async () => {
      script = [fail(REFUSED)]
      await start()
      const id = await bench.add({ prompt: '' })
      const job = await inState(id, engine.cancelledAs)
      expect(job.error).toContain('prompt is missing')
      expect(job.error).toContain('cancelled (refused)')
      expect(kept(job)).toMatchObject({
        failure: { class: 'permanent', kind: 'invalid_request' },
        verdict: { action: 'cancel', as: 'refused' },
      })
      expect(runs).toHaveLength(1)
    })

    it('a failure that a person must fix ends the job; their retry resets its counters', async () => {
      script = [fail(OVERLOADED), fail(LOGIN)]
      await start()
      const id = await bench.add({ prompt: 'hello' })
      await inState(id, 'delayed')
      await bench.makeDue(id)
      const parked = await inState(id, 'failed')
      expect(parked.error).toContain('waits for a person (login)')
      script = [fail(OVERLOADED)]
      await bench.retryByHand(id)
      const job = await inState(id, 'delayed')
      expect(kept(job)).toMatchObject({ tries: 3, retries: 1, failure: { kind: 'overloaded' } })
      await bench.makeDue(id)
      await inState(id, 'done')
    })

    it('work with `retry: "none"` that may have taken effect does not run twice', async () => {
      script = [fail(TIMEOUT)]
      await start({ retry: 'none' })
      const id = await bench.add({ prompt: 'hello' })
      const job = await inState(id, engine.cancelledAs)
      expect(kept(job)).toMatchObject({
        failure: { effect: 'maybe' },
        verdict: { action: 'cancel', as: 'unverifiable' },
      })
      expect(job.error).toContain('retry = "replay"')
      expect(runs).toHaveLength(1)
    })

    it('verifiable work is verified before it runs again', async () => {
      script = [fail(TIMEOUT)]
      const asked: unknown[] = []
      await start({
        retry: 'verify_first',
        verify: data => {
          asked.push(data)
          return { state: 'done', value: { answer: 'was there' } }
        },
      })
      const id = await bench.add({ prompt: 'hello' })
      await inState(id, 'delayed')
      await bench.makeDue(id)
      const job = await inState(id, 'done')
      expect(asked).toEqual([{ prompt: 'hello' }])
      expect(runs).toHaveLength(1)
      if (engine.storesResults) expect(job.value).toEqual({ answer: 'was there' })
    })

    it('a lost worker may have taken effect, so the job is not run again blindly', async () => {
      bench = await engine.open()
      const id = await bench.add({ prompt: 'hello' })
      await bench.lose(id)
      const worker = defineWorker({ retry: 'none', run: data => runs.push(data) })
      await bench.start(worker)
      const job = await inState(id, engine.cancelledAs)
      expect(kept(job)).toMatchObject({
        failure: { class: 'transient', kind: 'runner_lost', effect: 'maybe' },
        verdict: { action: 'cancel', as: 'unverifiable' },
      })
      expect(runs).toEqual([])
    })

    it('a worker lost after an earlier retry is noticed too', async () => {
      script = [fail(OVERLOADED)]
      // A refusal of atomic work had no effect, so the job may be tried again.
      const worker = await start({ retry: 'none', atomic: true })
      const id = await bench.add({ prompt: 'hello' })
      await inState(id, 'delayed')
      await bench.stop()
      await bench.makeDue(id)
      await bench.lose(id)
      await bench.start(worker)
      const job = await inState(id, engine.cancelledAs)
      expect(kept(job)).toMatchObject({
        tries: 2,
        failure: { kind: 'runner_lost', effect: 'maybe' },
        verdict: { action: 'cancel', as: 'unverifiable' },
      })
      expect(runs).toHaveLength(1)
    })

    it('a hook gets the job and may turn the failure into a success with a value', async () => {
      script = [fail(REFUSED)]
      const seen: unknown[] = []
      await start({
        handleFailure: (failure, verdict, { jobId, attempt, params, engine, job }) => {
          seen.push([failure.kind, verdict.action, jobId, attempt, params, engine, typeof job])
          return { succeeded: { answer: 'from the cache' }, reason: 'it is in the cache' }
        },
      })
      const id = await bench.add({ prompt: 'hello' })
      const job = await inState(id, 'done')
      const name = engine.name.split(' ')[0]
      expect(seen).toEqual([
        ['invalid_request', 'cancel', expect.any(String), 1, { prompt: 'hello' }, name, 'object'],
      ])
      if (engine.storesResults) expect(job.value).toEqual({ answer: 'from the cache' })
    })

    it('a job cancelled while it runs stays cancelled', async ({ skip }) => {
      const isBegun = Promise.withResolvers<void>()
      const isOver = Promise.withResolvers<void>()
      await start({
        run: async (_data, { signal }) => {
          signal.addEventListener('abort', () => isOver.resolve())
          isBegun.resolve()
          await isOver.promise
          runs.push('run')
          throw limited(Date.now())
        },
      })
      if (!bench.cancelRunning) return skip(`${engine.name} cannot cancel a running job`)
      const id = await bench.add({ prompt: 'hello' })
      await isBegun.promise
      await bench.cancelRunning(id)
      isOver.resolve()
      await inState(id, engine.cancelledAs)
      await bench.stop()
      expect(events.at(-1)?.type).toBe('job.ended')
      expect((await bench.show(id)).state).toBe(engine.cancelledAs)
      expect(runs).toEqual(['run'])
    })

    it('an unknown error cancels the job', async () => {
      script = [fail('flurbl')]
      await start()
      const id = await bench.add({ prompt: 'hello' })
      const job = await inState(id, engine.cancelledAs)
      expect(kept(job)).toMatchObject({ failure: { class: 'unknown' }, verdict: { action: 'cancel' } })
      expect(runs).toHaveLength(1)
    })
  })
}

/** Runs the suite on a server. Without one it is skipped with the reason, or fails in CI. */
export function conformance(
  name: string,
  server: TestServer,
  engineAt: (url: string) => ConformingEngine,
): void {
  if ('missing' in server) {
    const { missing } = server
    const test = process.env.CI === 'true' ? it : it.skip
    test(`verdicts in ${name} (${missing})`, () => expect.fail(missing))
    return
  }
  const engine = engineAt(server.url)
  describe(name, () => {
    afterAll(() => engine.end())
    describeConformance(engine)
    describeCitizens(engine)
  })
  afterAll(server.stop)
}
