import { randomUUID } from 'node:crypto'
import { createPostgresBackend, type Job, Queue, runMigrations, Worker, type WorkerOptions } from 'bullmq'
import { expect, it } from 'vitest'
import type { EngineBench } from '../../../test/adapter/conformance/bench.ts'
import { conformance } from '../../../test/adapter/conformance/conformance.ts'
import { TestSchema } from '../../../test/adapter/conformance/database.ts'
import { testPostgres, testRedis } from '../../../test/adapter/conformance/servers.ts'
import { defineWorker } from '../job/worker.ts'
import { bullmqProcessor } from './processor.ts'

// BullMQ stores only how long a job waits, so its due time is as imprecise as the try took.
const SHARED = { precisionMs: 5_000, cancelledAs: 'failed', storesResults: true } as const

conformance('bullmq on Redis', await testRedis(), url => {
  const { hostname: host, port } = new URL(url)
  const connection = { host, port: Number(port || 6379), maxRetriesPerRequest: null }
  const open = async () => benchOf({ connection, prefix: `mulligan-${randomUUID()}` })
  return { name: 'bullmq on Redis', ...SHARED, open, end: async () => {} }
})

conformance('bullmq on PostgreSQL', await testPostgres(), connectionString => {
  const schema = new TestSchema(connectionString, 'bullmq')
  const connection = { connectionString, schema: schema.name, max: 3 }
  const migrated = schema.within(client => runMigrations(client as never, schema.name))
  const open = async () => {
    await migrated
    return benchOf({ connection } as never, createPostgresBackend as never)
  }
  return { name: 'bullmq on PostgreSQL', ...SHARED, open, end: () => schema.drop() }
})

it('a free retry delays the job instead of failing it', async () => {
  const outcome = { outcome: 'retry', afterMs: 0, mode: 'again', isFree: true, reason: 'the worker stopped' }
  const worker = { perform: async () => ({ outcome, record: {}, data: {} }), time: { now: () => 5 } }
  const moved: unknown[] = []
  const job = {
    opts: {},
    updateData: async () => {},
    moveToDelayed: async (...args: unknown[]) => moved.push(args),
  }
  const processor = bullmqProcessor(worker as never)
  await expect(processor(job as never, 'token')).rejects.toMatchObject({ name: 'DelayedError' })
  expect(moved).toEqual([[5, 'token']])
})

it('a job for which BullMQ allows no retry is retried within the limit of its worker', async () => {
  const overloaded = Object.assign(new Error('Overloaded'), { status: 529 })
  const worker = defineWorker({
    retry: 'replay',
    backoff: 'fixed10s',
    random: () => 0,
    run: () => Promise.reject(overloaded),
  })
  const job = { queueName: 'q', id: '1', data: {}, opts: {}, attemptsMade: 0, attemptsStarted: 1 }
  const processor = bullmqProcessor(worker)
  const started = { ...job, stalledCounter: 0, updateData: async () => {} }
  await expect(processor(started as never)).rejects.toMatchObject({
    name: 'Error',
    message: expect.stringContaining('Overloaded'),
  })
  // BullMQ retries a job while `attemptsMade + 1 < attempts`.
  expect(job.opts).toEqual({ attempts: 2, backoff: { type: 'fixed', delay: 10_000 } })
})

it('an end that BullMQ lost with its worker stands, and a retry by a person starts over', async () => {
  const refused = Object.assign(new Error('the request timed out'), { code: 'ETIMEDOUT' })
  let runs = 0
  const worker = defineWorker({
    retry: 'none',
    run: () => {
      runs++
      throw refused
    },
  })
  const processor = bullmqProcessor(worker)
  const job = { queueName: 'q', id: '1', data: {} as unknown, opts: {}, attemptsMade: 0 }
  const start = (attemptsStarted: number, stalledCounter: number) =>
    processor({
      ...job,
      attemptsStarted,
      stalledCounter,
      updateData: async (data: unknown) => {
        job.data = data
      },
    } as never)
  await expect(start(1, 0)).rejects.toMatchObject({ name: 'UnrecoverableError' })
  // The worker died before BullMQ stored the failure, so BullMQ starts the job again as stalled.
  await expect(start(2, 1)).rejects.toMatchObject({
    name: 'UnrecoverableError',
    message: expect.stringContaining('the request timed out'),
  })
  expect(runs).toBe(1)
  // A person retries it: BullMQ counts no further stall.
  await expect(start(3, 1)).rejects.toMatchObject({ name: 'UnrecoverableError' })
  expect(runs).toBe(2)
})

it('a success that BullMQ lost with its worker is not done twice', async () => {
  let runs = 0
  const worker = defineWorker({
    retry: 'replay',
    run: () => {
      if (++runs === 1) throw Object.assign(new Error('Overloaded'), { status: 529 })
      return 'done'
    },
  })
  const processor = bullmqProcessor(worker)
  const job = { queueName: 'q', id: '1', data: {} as unknown, opts: {}, attemptsMade: 0 }
  const start = (attemptsStarted: number, stalledCounter: number) =>
    processor({
      ...job,
      attemptsStarted,
      stalledCounter,
      updateData: async (data: unknown) => {
        job.data = data
      },
    } as never)
  await expect(start(1, 0)).rejects.toThrow('Overloaded')
  expect(await start(2, 0)).toBe('done')
  // The worker died before BullMQ stored the result.
  expect(await start(3, 1)).toBeUndefined()
  expect(runs).toBe(2)
  // A person runs the completed job again.
  expect(await start(4, 1)).toBe('done')
  expect(runs).toBe(3)
})

/** @param backend undefined for Redis */
function benchOf(options: WorkerOptions, backend?: undefined): EngineBench {
  const name = `agents-${randomUUID()}`
  const queue = new Queue(name, options, backend)
  const workers: Worker[] = []
  const open = (processor: (job: Job) => Promise<unknown>, given: Partial<WorkerOptions> = {}) => {
    const worker = new Worker(name, processor, { ...options, drainDelay: 1, ...given }, backend)
    worker.on('error', () => {})
    workers.push(worker)
    return worker
  }
  // One that was removed is added again under another id.
  const jobOf = async (id: string) =>
    ((await queue.getJob(id)) ?? (await queue.getJob(`mulligan-${id}`))) as Job
  return {
    async add(data, retries = 20) {
      const { id } = await queue.add('agent', data, { attempts: retries + 1 })
      return id as string
    },
    async show(id) {
      const job = await jobOf(id)
      const state = await job.getState()
      return {
        state: state === 'completed' ? 'done' : state === 'failed' || state === 'delayed' ? state : 'waiting',
        dueAt: (job.processedOn ?? 0) + job.delay,
        data: job.data,
        error: job.failedReason,
        value: job.returnvalue,
        attemptsUsed: job.attemptsMade,
      }
    },
    async makeDue(id) {
      await (await jobOf(id)).promote()
    },
    async retryByHand(id) {
      await (await jobOf(id)).retry()
    },
    async isHeldBack(id) {
      const { state } = await this.show(id)
      // BullMQ puts back a job that it fetched just before.
      return (state === 'waiting' || state === 'delayed') && (await queue.getRateLimitTtl()) > 0
    },
    async cancelRunning(id) {
      workers.map(worker => worker.cancelJob(id, 'not needed'))
    },
    async start(worker) {
      const processor = bullmqProcessor(worker, { queue })
      await open(processor, { concurrency: 2, stalledInterval: 100 }).waitUntilReady()
    },
    async remove(id) {
      await (await jobOf(id)).remove()
    },
    async lose() {
      const { promise, resolve } = Promise.withResolvers<void>()
      const lost = open(() => new Promise(() => resolve()), { lockDuration: 200, stalledInterval: 100 })
      await promise
      await lost.close(true)
    },
    async stop() {
      await Promise.all(workers.map(worker => worker.close()))
    },
    async close() {
      await Promise.all(workers.map(worker => worker.close(true)))
      await queue.removeRateLimitKey()
      await queue.obliterate({ force: true })
      await queue.close()
    },
  }
}
