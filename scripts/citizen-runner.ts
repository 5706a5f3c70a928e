import { EventEmitter } from 'node:events'
import { Queue, Worker } from 'bullmq'
import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import { PgBoss } from 'pg-boss'
import { bullmqProcessor } from '../src/adapter/bullmq/processor.ts'
import { graphileTask, pausedFlags } from '../src/adapter/graphile-worker/task.ts'
import { defineWorker, type JobWorker } from '../src/adapter/job/worker.ts'
import { pgBossHandler } from '../src/adapter/pg-boss/handler.ts'

// A worker process of the crash test of citizens. It is killed at any moment.

/** What the process is told. */
export interface CitizenRunner {
  engine: 'bullmq' | 'pg-boss' | 'graphile-worker'
  /** Redis or PostgreSQL. */
  server: string
  queue: string
  /** Schema of pg-boss or graphile-worker. */
  schema: string
  /** The stand-in for the provider. */
  vendor: string
  /** The ledger to connect to; absent without one. */
  ledger?: string
  /** Whether it kills itself once it has told the ledger how a try ended, and before it tells the engine. */
  diesBetween?: boolean
}

const given = JSON.parse(process.env.CITIZEN ?? '{}') as CitizenRunner
const AT_ONCE = 8

const worker = defineWorker<{ n: number }>({
  name: 'crash',
  provider: 'vendor',
  retry: 'verify_first',
  maxRetries: 50,
  maxSnoozes: 5_000,
  retryForMs: 3_600_000,
  onProblem: ({ part, problem }) => process.stderr.write(`${process.pid} ${part}: ${problem}\n`),
  verify: async ({ n }, { run }) => {
    const { status } = await ask(`/effect?n=${n}&token=${run}`)
    if (status === 409) return { state: 'unsure', reason: 'a later start has asked' }
    return { state: status === 200 ? 'done' : 'absent' }
  },
  run: async ({ n }, { run }) => {
    const response = await ask(`/call?n=${n}&token=${run}&at=${Date.now()}`)
    const body = await response.text()
    if (response.ok) return body
    // What the vendor says in this case, no rule knows.
    if (response.status === 418) throw new Error(body)
    throw Object.assign(new Error(body), { status: response.status, headers: response.headers })
  },
})

async function ask(path: string): Promise<Response> {
  return fetch(`${given.vendor}${path}`)
}

const START: Record<CitizenRunner['engine'], (worker: JobWorker) => Promise<void>> = {
  bullmq: async own => {
    const { hostname: host, port } = new URL(given.server)
    const connection = { host, port: Number(port || 6379), maxRetriesPerRequest: null }
    const queue = new Queue(given.queue, { connection })
    const processor = bullmqProcessor(own, { queue })
    const options = {
      concurrency: AT_ONCE,
      lockDuration: 8_000,
      stalledInterval: 1_000,
      maxStalledCount: 100,
    }
    new Worker(given.queue, processor, { connection, ...options }).on('error', () => {})
  },
  'pg-boss': async own => {
    const { server: connectionString, schema, queue } = given
    const boss = new PgBoss({ connectionString, schema, supervise: false, schedule: false, max: 4 })
    boss.on('error', () => {})
    await boss.start()
    const options = { batchSize: AT_ONCE, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true } as const
    await boss.work(queue, options, pgBossHandler(boss, own, { queue }))
  },
  'graphile-worker': async own => {
    const { server: connectionString, schema, queue: task } = given
    const shared = { connectionString, schema, logger: new Logger(() => () => {}) }
    const utils = await makeWorkerUtils(shared)
    const taskList = { [task]: graphileTask(own, { schema, utils, task }) }
    // Graphile-worker gives back the jobs of a killed process when an operator says which pool it had.
    const events = new EventEmitter()
    events.on('pool:create', ({ workerPool: { id } }) => process.send?.({ workerId: id }))
    await run({
      ...shared,
      taskList,
      events,
      concurrency: AT_ONCE,
      forbiddenFlags: pausedFlags(own),
      pollInterval: 200,
      maxPoolSize: AT_ONCE + 2,
      noHandleSignals: true,
    })
  },
}

if (given.diesBetween) {
  // Some tries later each time, so that all kinds of ends are met.
  let left = 1 + Math.floor(Math.random() * 5)
  const perform = worker.perform.bind(worker)
  worker.perform = async job => {
    const performed = await perform(job)
    if (performed.record.operation !== undefined && --left === 0) process.kill(process.pid, 'SIGKILL')
    return performed
  }
}

if (given.ledger !== undefined) await worker.connect({ ledger: given.ledger })
await START[given.engine](worker as unknown as JobWorker)
process.send?.({ isReady: true })
