import { randomUUID } from 'node:crypto'
import { Queue, Worker } from 'bullmq'
import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import { PgBoss } from 'pg-boss'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { TestSchema } from '../../test/adapter/conformance/database.ts'
import { testPostgres, testRedis } from '../../test/adapter/conformance/servers.ts'
import { carriersOf, ENDINGS, type Ending, endingOf } from '../../test/typed-failures.ts'
import type { WorkContext } from '../capability/context.ts'
import { defineCapability } from '../capability/define.ts'
import { testQueue } from '../testing/test-queue.ts'
import { bullmqProcessor } from './bullmq/processor.ts'
import { graphileTask } from './graphile-worker/task.ts'
import type { EngineJob, Performed } from './job/engine-job.ts'
import { type JobRecord, readRecord } from './job/record.ts'
import { defineWorker, JobWorker } from './job/worker.ts'
import { pgBossHandler } from './pg-boss/handler.ts'

// @ts-expect-error another copy of the module, as a program has that loads the package twice
const COPY = (await import('../call/call-failed.ts?copy')) as typeof import('../call/call-failed.ts')

const SCENARIOS = Object.entries(ENDINGS).flatMap(([ending, { parsedEnds, ...given }]) =>
  Object.entries(carriersOf(COPY)).map(([carrier, carry]) => ({
    ...given,
    ends: { ...given.ends, ...(carrier.startsWith('the JSON') ? parsedEnds : {}) },
    name: `${ending}: ${carrier}`,
    work(context: Parameters<Ending['failure']>[0], now: number): unknown {
      const carried = carry(given.failure(context, now))
      if ('throws' in carried) throw carried.throws
      return carried.returns
    },
  })),
)
const BOUNDS = { maxRetries: 2, retryForMs: 3_600_000 }

/** One worker for all scenarios: each job names its own. */
class EveryScenario extends JobWorker {
  readonly #workers = SCENARIOS.map(({ name: _name, failure: _failure, ends: _ends, work, ...given }) =>
    defineWorker({ ...given, ...BOUNDS, pause: false, run: (_data, context) => work(context, Date.now()) }),
  )
  #open = SCENARIOS.length
  readonly #ended = Promise.withResolvers<void>()
  /** Resolves when no job is to be tried at once. */
  readonly ended = this.#ended.promise

  constructor() {
    super({ run: () => {} })
  }

  override async perform(job: EngineJob): Promise<Performed> {
    const { scenario } = job.data as { scenario: number }
    const performed = await (this.#workers[scenario] as JobWorker).perform(job)
    if (performed.outcome.outcome !== 'retry' && --this.#open === 0) this.#ended.resolve()
    return performed
  }
}

type Endings = Record<string, unknown>

/** All jobs, as their engine stored them once none is to be tried at once. */
async function endingsOf(stored: (scenario: number) => Promise<JobRecord | undefined>): Promise<Endings> {
  const endings = SCENARIOS.map(async ({ name }, index) => {
    const record = await stored(index)
    return [name, record && endingOf(record)]
  })
  return Object.fromEntries(await Promise.all(endings))
}

const EXPECTED: Endings = Object.fromEntries(SCENARIOS.map(({ name, ends }) => [name, ends]))
const redis = await testRedis()
const postgres = await testPostgres()

afterAll(async () => {
  for (const server of [redis, postgres]) if ('stop' in server) await server.stop()
})

describe('forty failures that were known before they were thrown or returned', () => {
  it('are forty', () => expect(SCENARIOS).toHaveLength(40))

  it('end as they should in our queue, with their cost', async () => {
    const capabilities = SCENARIOS.map(({ work, failure: _failure, ends: _ends, ...given }, index) =>
      defineCapability({
        ...given,
        ...BOUNDS,
        name: `scenario-${index}`,
        params: z.object({}),
        run: (_params: unknown, context: WorkContext) => work(context, time.now()),
      } as never),
    )
    const { queue, time } = await testQueue({ capabilities: capabilities as never })
    const ids = await Promise.all(
      SCENARIOS.map(async (_, index) => (await queue.submit(`scenario-${index}`, {})).id),
    )
    await queue.runner().start()
    await time.advance(60_000)
    const endings = await endingsOf(async index => {
      const attempts = await queue.ledger.attempts(ids[index] as string)
      const { verdict, failure } = attempts.at(-1) ?? {}
      const costUsd = attempts.reduce((sum, attempt) => sum + (attempt.costUsd ?? 0), 0)
      const turns = attempts.at(-1)?.turns
      expect(turns).toBe(failure?.turns)
      return { tries: attempts.length, costUsd, verdict, failure } as never
    })
    await queue.close()
    expect(endings).toEqual(EXPECTED)
  })

  it.skipIf('missing' in redis)('end alike in BullMQ', async () => {
    const { hostname: host, port } = new URL((redis as { url: string }).url)
    const options = {
      connection: { host, port: Number(port || 6379), maxRetriesPerRequest: null },
      prefix: `mulligan-${randomUUID()}`,
    }
    const queue = new Queue('typed', options)
    const every = new EveryScenario()
    const jobs = await queue.addBulk(
      SCENARIOS.map((_, scenario) => ({ name: 'job', data: { scenario }, opts: { attempts: 9 } })),
    )
    const worker = new Worker('typed', bullmqProcessor(every), { ...options, concurrency: 40, drainDelay: 1 })
    worker.on('error', () => {})
    await every.ended
    const endings = () =>
      endingsOf(async index => readRecord((await queue.getJob(jobs[index]?.id as string))?.data))
    await expect.poll(endings).toEqual(EXPECTED)
    await worker.close(true)
    await queue.obliterate({ force: true })
    await queue.close()
  })

  it.skipIf('missing' in postgres)('end alike in pg-boss', async () => {
    const { url: connectionString } = postgres as { url: string }
    const schema = new TestSchema(connectionString, 'pgboss')
    const shared = { supervise: false, schedule: false, useListenNotify: true, max: 4 }
    const boss = new PgBoss({ connectionString, schema: schema.name, ...shared })
    boss.on('error', () => {})
    await boss.start()
    await boss.createQueue('typed', { notify: true })
    const every = new EveryScenario()
    const ids = await Promise.all(
      SCENARIOS.map((_, scenario) => boss.send('typed', { scenario }, { retryLimit: 9 })),
    )
    const options = { batchSize: 40, pollingIntervalSeconds: 0.5, notifyPollingIntervalSeconds: 0.5 }
    await boss.work('typed', options, pgBossHandler(boss, every) as never)
    await every.ended
    const endings = () =>
      endingsOf(async index =>
        readRecord((await boss.findJobs('typed', { id: ids[index] as string }))[0]?.data),
      )
    await expect.poll(endings).toEqual(EXPECTED)
    await boss.stop({ graceful: false })
    await schema.drop()
  })

  it.skipIf('missing' in postgres)('end alike in graphile-worker', async () => {
    const { url } = postgres as { url: string }
    const schema = await TestSchema.alone(url, 'graphile')
    const shared = {
      connectionString: schema.connectionString,
      schema: schema.name,
      logger: new Logger(() => () => {}),
      maxPoolSize: 4,
    }
    const utils = await makeWorkerUtils(shared)
    await utils.migrate()
    const every = new EveryScenario()
    for (const [scenario] of SCENARIOS.entries())
      await utils.addJob('typed', { scenario }, { jobKey: `job-${scenario}`, maxAttempts: 10 })
    const taskList = { typed: graphileTask(every, { schema: schema.name }) }
    const runner = await run({ ...shared, taskList, concurrency: 8, pollInterval: 50, noHandleSignals: true })
    await every.ended
    const rows = `select key, payload from ${schema.name}._private_jobs`
    const endings = async () => {
      const payloads = new Map((await schema.query(rows)).map(({ key, payload }) => [key, payload]))
      return endingsOf(async index => readRecord(payloads.get(`job-${index}` as never)))
    }
    await expect.poll(endings).toEqual(EXPECTED)
    await runner.stop()
    await utils.release()
    await schema.drop()
  })
})
