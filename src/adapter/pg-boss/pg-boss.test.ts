import { randomUUID } from 'node:crypto'
import { PgBoss } from 'pg-boss'
import { expect, it } from 'vitest'
import type { EngineBench } from '../../../test/adapter/conformance/bench.ts'
import { conformance } from '../../../test/adapter/conformance/conformance.ts'
import { TestSchema } from '../../../test/adapter/conformance/database.ts'
import { testPostgres } from '../../../test/adapter/conformance/servers.ts'
import { defineWorker } from '../job/worker.ts'
import { pgBossHandler } from './handler.ts'

conformance('pg-boss', await testPostgres(), connectionString => {
  const schema = new TestSchema(connectionString, 'pgboss')
  const boss = new PgBoss({
    connectionString,
    schema: schema.name,
    useListenNotify: true,
    supervise: false,
    schedule: false,
    max: 4,
  })
  boss.on('error', () => {})
  const started = boss.start()
  const open = async () => {
    await started
    return benchOf(boss, schema)
  }
  const end = async () => {
    await boss.stop({ graceful: false })
    await schema.drop()
  }
  const shared = { precisionMs: 50, cancelledAs: 'cancelled', storesResults: true } as const
  return { name: 'pg-boss', ...shared, open, end }
})

async function benchOf(boss: PgBoss, schema: TestSchema): Promise<EngineBench> {
  const queue = `agents-${randomUUID()}`
  await boss.createQueue(queue, { notify: true })
  const limits = new Map<string, number>()
  const jobOf = async (id: string) => {
    const [job] = await boss.findJobs<Record<string, unknown>>(queue, { id })
    if (!job) throw new Error(`no job ${id}`)
    return job
  }
  return {
    async add(data, retries = 20) {
      const id = (await boss.send(queue, data, { expireInSeconds: 60, retryLimit: retries })) as string
      limits.set(id, retries)
      return id
    },
    async show(id) {
      const { state, startAfter, data, output, retryCount, retryLimit } = await jobOf(id)
      const dueAt = new Date(startAfter).getTime()
      const isDelayed = (state === 'created' || state === 'retry') && dueAt > Date.now()
      const { value, message } = (output ?? {}) as { value?: unknown; message?: string }
      const shown = { completed: 'done', failed: 'failed', cancelled: 'cancelled' } as const
      return {
        state: isDelayed ? 'delayed' : (shown[state as keyof typeof shown] ?? 'waiting'),
        dueAt,
        data,
        value: value ?? output,
        ...(message === undefined ? {} : { error: message }),
        // pg-boss counts the next start as one more retry.
        attemptsUsed: (limits.get(id) as number) - (retryLimit - retryCount - 1),
      }
    },
    async makeDue(id) {
      await boss.update(queue, undefined, { id, startAfter: new Date(Date.now() - 1) })
    },
    async retryByHand(id) {
      await boss.retry(queue, id)
    },
    async isHeldBack(id) {
      const { startAfter, data } = await jobOf(id)
      const { tries } = (data.mulligan ?? {}) as { tries?: number }
      return new Date(startAfter).getTime() > Date.now() && tries === 0
    },
    async cancelRunning(id) {
      await boss.cancel(queue, id)
    },
    async start(worker) {
      const options = {
        pollingIntervalSeconds: 0.5,
        notifyPollingIntervalSeconds: 0.5,
        localConcurrency: 2,
      } as const
      await boss.work(queue, options, pgBossHandler(boss, worker, { queue }))
    },
    async remove(id) {
      await boss.deleteJob(queue, id)
    },
    async lose(id) {
      await boss.fetch(queue)
      // What pg-boss's supervisor does with an expired job.
      await schema.query(
        `update ${schema.name}.job set started_on = started_on - interval '1 hour' where id = $1`,
        [id],
      )
      await boss.supervise(queue)
    },
    async stop() {
      await boss.offWork(queue, { wait: true })
    },
    async close() {
      await boss.offWork(queue, { wait: true })
      await boss.deleteQueue(queue)
    },
  }
}

it('a job that cannot be settled does not make pg-boss repeat those that succeeded with it', async () => {
  const completed: unknown[] = []
  const boss = {
    getDb: () => ({ beginTransaction: () => Promise.reject(new Error('connection lost')) }),
    findJobs: async () => [{ retryLimit: 3 }],
    complete: async (...args: unknown[]) => completed.push(args),
  }
  const ends: string[] = []
  const worker = defineWorker({
    retry: 'replay',
    run: async ({ name }) => {
      if (name === 'broken') throw Object.assign(new Error('Overloaded'), { status: 529 })
      await Promise.resolve()
      ends.push(name as string)
    },
  })
  const jobs = ['broken', 'slow', 'quick'].map(name => ({
    id: name,
    name: 'q',
    data: { name },
    retryCount: 0,
  }))
  await expect(pgBossHandler(boss as never, worker)(jobs)).rejects.toThrow('connection lost')
  expect(ends).toEqual(['slow', 'quick'])
  expect(completed).toEqual([
    ['q', { id: 'slow', retryCount: 0 }],
    ['q', { id: 'quick', retryCount: 0 }],
  ])
})
