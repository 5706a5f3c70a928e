import { randomUUID } from 'node:crypto'
import { Logger, makeWorkerUtils, type Runner, run, runOnce } from 'graphile-worker'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EngineBench } from '../../../test/adapter/conformance/bench.ts'
import { conformance } from '../../../test/adapter/conformance/conformance.ts'
import { TestSchema } from '../../../test/adapter/conformance/database.ts'
import { testPostgres } from '../../../test/adapter/conformance/servers.ts'
import { defineWorker } from '../job/worker.ts'
import { graphileTask, pausedFlags } from './task.ts'

const logger = new Logger(() => () => {})

conformance('graphile-worker', await testPostgres(), url => {
  const ready = TestSchema.alone(url, 'graphile').then(async schema => {
    const { connectionString, name } = schema
    const utils = await makeWorkerUtils({ connectionString, schema: name, logger })
    await utils.migrate()
    return { schema, utils }
  })
  const open = async () => {
    const { schema, utils } = await ready
    return benchOf(utils, schema)
  }
  const end = async () => {
    const { schema, utils } = await ready
    await utils.release()
    await schema.drop()
  }
  const shared = { precisionMs: 50, cancelledAs: 'failed', storesResults: false } as const
  return { name: 'graphile-worker', ...shared, open, end }
})

const server = await testPostgres()

describe.skipIf('missing' in server)('a graphile-worker job', () => {
  let schema: TestSchema
  let shared: { connectionString: string; schema: string; logger: Logger; maxPoolSize: number }

  beforeAll(async () => {
    schema = await TestSchema.alone('url' in server ? server.url : '', 'graphile')
    shared = { connectionString: schema.connectionString, schema: schema.name, logger, maxPoolSize: 2 }
  })
  afterAll(async () => {
    await schema.drop()
    if ('stop' in server) await server.stop()
  })

  it('is not tried again when a newer one has taken its key, which then runs with its own data', async () => {
    const utils = await makeWorkerUtils(shared)
    await utils.migrate()
    const runs: unknown[] = []
    const worker = defineWorker({
      retry: 'replay',
      run: async ({ version }) => {
        runs.push(version)
        if (version !== 'old') return
        await utils.addJob('index', { version: 'new' }, { jobKey: 'doc-1' })
        throw Object.assign(new Error('Overloaded'), { status: 529 })
      },
    })
    await utils.addJob('index', { version: 'old' }, { jobKey: 'doc-1' })
    const taskList = { index: graphileTask(worker, { schema: schema.name }) }
    await runOnce({ ...shared, taskList, noHandleSignals: true })
    expect(runs).toEqual(['old', 'new'])
    // Graphile-worker deletes a job that is done a moment later.
    const rows = () => schema.query(`select * from ${schema.name}._private_jobs`)
    const superseded = { key: null, last_error: expect.stringContaining('a newer job has the key doc-1') }
    await expect.poll(rows).toEqual([expect.objectContaining(superseded)])
    await utils.release()
  })

  it('keeps its queue, priority, flags and attempts when it is tried again', async () => {
    const utils = await makeWorkerUtils(shared)
    await utils.migrate()
    const worker = defineWorker({
      retry: 'replay',
      run: () => Promise.reject(Object.assign(new Error('Overloaded'), { status: 529 })),
    })
    const settings = { queueName: 'reviews', priority: 7, flags: ['vendor'], maxAttempts: 9 }
    await utils.addJob('keep', {}, settings)
    const taskList = { keep: graphileTask(worker, { schema: schema.name }) }
    await runOnce({ ...shared, taskList, noHandleSignals: true })
    const rows = () =>
      schema.query(`select queue_name, priority, flags, max_attempts, attempts, run_at > now() as is_later
        from ${schema.name}.jobs where task_identifier = 'keep'`)
    const kept = { queue_name: 'reviews', priority: 7, flags: { vendor: true }, max_attempts: 9, attempts: 0 }
    await expect.poll(rows).toEqual([{ ...kept, is_later: true }])
    await utils.release()
  })
})

function benchOf(utils: Awaited<ReturnType<typeof makeWorkerUtils>>, schema: TestSchema): EngineBench {
  const task = `agent-${randomUUID()}`
  const shared = { connectionString: schema.connectionString, schema: schema.name, logger, maxPoolSize: 4 }
  let runner: Runner | undefined
  let forbidden = () => [] as string[]
  const rowOf = async (key: string) => {
    const [row] = await schema.query(`select * from ${schema.name}._private_jobs where key = $1`, [key])
    return row as Record<string, unknown> | undefined
  }
  return {
    async add(data, retries = 24) {
      const jobKey = `job-${randomUUID()}`
      await utils.addJob(task, data, { jobKey, maxAttempts: retries + 1, flags: ['anthropic'] })
      return jobKey
    },
    async show(key) {
      const row = await rowOf(key)
      // Graphile-worker deletes jobs that succeeded.
      if (!row) return { state: 'done', data: {}, attemptsUsed: 0 }
      expect(row.flags).toEqual({ anthropic: true })
      const { attempts, max_attempts, run_at, locked_at, last_error, payload } = row
      const dueAt = (run_at as Date).getTime()
      const isFailed = attempts === max_attempts && locked_at === null
      const data = payload as Record<string, { retries: number }>
      return {
        state: isFailed ? 'failed' : locked_at === null && dueAt > Date.now() ? 'delayed' : 'waiting',
        dueAt,
        data,
        ...(last_error === null ? {} : { error: last_error as string }),
        attemptsUsed: data.mulligan?.retries ?? 0,
      }
    },
    async makeDue(key) {
      const row = await rowOf(key)
      await utils.rescheduleJobs([row?.id as string], { runAt: new Date(Date.now() - 1) })
    },
    async retryByHand(key) {
      const row = await rowOf(key)
      await utils.rescheduleJobs([row?.id as string], { runAt: new Date(), attempts: 1 })
    },
    async isHeldBack(key) {
      const row = await rowOf(key)
      return forbidden().includes('anthropic') && row?.locked_at === null
    },
    async start(worker) {
      forbidden = pausedFlags(worker)
      runner = await run({
        ...shared,
        taskList: { [task]: graphileTask(worker, { schema: schema.name, utils, task }) },
        forbiddenFlags: forbidden,
        concurrency: 2,
        pollInterval: 50,
        noHandleSignals: true,
      })
    },
    async lose(key) {
      const taskList = { [task]: () => Promise.reject(new Error('killed')) }
      await runOnce({ ...shared, taskList, noHandleSignals: true })
      await this.makeDue(key)
    },
    async remove(key) {
      await schema.query(`select 1 from ${schema.name}.remove_job($1)`, [key])
    },
    async stop() {
      await runner?.stop()
      runner = undefined
    },
    async close() {
      await this.stop()
    },
  }
}
