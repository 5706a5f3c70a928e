import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { Logger, makeWorkerUtils, run as runGraphile } from 'graphile-worker'
import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { better, defineQueue, defineWorker } from 'plainjob'
import { z } from 'zod'
import { defineCapability } from '../src/capability/define.ts'
import { openQueue } from '../src/queue/open.ts'

/** What is measured of each queue. Each instance begins empty. */
export interface Subject {
  submit(params: object): Promise<unknown>
  submitMany(params: readonly object[]): Promise<unknown>
  /** Starts work that does nothing but tell. */
  work(onDone: (params: { n: number }) => void): Promise<void>
  close(): Promise<void>
}

export interface Peer {
  name: string
  /** Settings, printed with the figures. */
  settings: string
  open(): Promise<Subject>
}

export const AT_ONCE = 64
const root = mkdtempSync(join(tmpdir(), 'mulligan-bench-queue-'))
let count = 0
const DATABASE = 'postgres://postgres@127.0.0.1:5432/test'
/** As SQLite in its normal mode: what is committed survives every process, not a power cut in the same moment. */
const RELAXED = `${DATABASE}?options=-c%20synchronous_commit%3Doff`

const ours: Peer = {
  name: 'mulligan',
  settings: `SQLite, WAL, synchronous = NORMAL; concurrency ${AT_ONCE}; keeps operation, attempts, events`,
  async open() {
    let told = (_params: { n: number }) => {}
    const work = defineCapability({
      name: 'work',
      params: z.object({ n: z.number() }).loose(),
      retry: 'replay',
      run: params => told(params),
    })
    const queue = await openQueue({ data: join(root, `${count++}`), capabilities: [work] })
    return {
      submit: params => queue.submit('work', params),
      submitMany: list => queue.submitMany(list.map(params => ({ capability: 'work', params }))),
      work: async onDone => {
        told = onDone
        await queue.runner({ concurrency: AT_ONCE }).start()
      },
      close: () => queue.close({ graceMs: 5_000 }),
    }
  },
}

const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const plainjob: Peer = {
  name: 'plainjob',
  settings: 'SQLite (better-sqlite3), WAL, synchronous = NORMAL; one job at a time; keeps the job row',
  async open() {
    const queue = defineQueue({
      connection: better(new Database(join(root, `plainjob-${count++}.db`))),
      logger: quiet,
    })
    let worker: ReturnType<typeof defineWorker> | undefined
    return {
      submit: async params => queue.add('work', params),
      submitMany: async list => queue.addMany('work', [...list]),
      work: async onDone => {
        worker = defineWorker('work', async job => onDone(JSON.parse(job.data) as { n: number }), {
          queue,
          logger: quiet,
          pollIntervall: 10,
        })
        void worker.start()
      },
      close: async () => {
        void worker?.stop()
        await delay(50)
        queue.close()
      },
    }
  },
}

const pgBoss: Peer = {
  name: 'pg-boss',
  settings: `PostgreSQL, synchronous_commit = off; LISTEN/NOTIFY on; batches of ${AT_ONCE}, at once while full; keeps the job row`,
  async open() {
    const schema = `bench_boss_${process.pid}_${count++}`
    const boss = new PgBoss({
      connectionString: RELAXED,
      schema,
      useListenNotify: true,
      supervise: false,
      schedule: false,
      max: 10,
    })
    boss.on('error', () => {})
    await boss.start()
    await boss.createQueue('work', { notify: true })
    return {
      submit: params => boss.send('work', params),
      submitMany: list =>
        boss.insert(
          'work',
          list.map(data => ({ data })),
        ),
      work: async onDone => {
        await boss.work<{ n: number }>(
          'work',
          { batchSize: AT_ONCE, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true },
          async jobs => {
            for (const { data } of jobs) onDone(data)
          },
        )
      },
      close: async () => {
        await boss.stop({ graceful: true, timeout: 5_000 })
        await drop(schema)
      },
    }
  },
}

const graphile: Peer = {
  name: 'graphile-worker',
  settings: `PostgreSQL, synchronous_commit = off; concurrency ${AT_ONCE}; LISTEN/NOTIFY; keeps nothing of what succeeded`,
  async open() {
    const schema = `bench_graphile_${process.pid}_${count++}`
    const logger = new Logger(() => () => {})
    const shared = { connectionString: RELAXED, schema, logger }
    const utils = await makeWorkerUtils(shared)
    await utils.migrate()
    let runner: Awaited<ReturnType<typeof runGraphile>> | undefined
    return {
      submit: params => utils.addJob('work', params),
      submitMany: list => utils.addJobs(list.map(payload => ({ identifier: 'work', payload }))),
      work: async onDone => {
        runner = await runGraphile({
          ...shared,
          concurrency: AT_ONCE,
          maxPoolSize: 12,
          noHandleSignals: true,
          taskList: { work: async payload => onDone(payload as { n: number }) },
        })
      },
      close: async () => {
        await runner?.stop()
        await utils.release()
        await drop(schema)
      },
    }
  },
}

async function drop(schema: string): Promise<void> {
  const client = new pg.Client(DATABASE)
  await client.connect()
  await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
  await client.end()
}

/** A Redis that writes down what it is told. Processes that are started later use the same one. */
async function startRedis(): Promise<number> {
  const folder = join(root, 'redis')
  mkdirSync(folder, { recursive: true })
  const port = 16_379 + (process.pid % 1_000)
  const server = spawn(
    'redis-server',
    [
      '--port',
      `${port}`,
      '--bind',
      '127.0.0.1',
      '--dir',
      folder,
      '--appendonly',
      'yes',
      '--appendfsync',
      'everysec',
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  )
  await once(server.stdout, 'data')
  // It would not end by itself: what it would save has no folder any more.
  stops.push(() => server.kill('SIGKILL'))
  process.env.BENCH_REDIS_PORT = `${port}`
  return port
}

/** BullMQ needs a client of Redis, which it does not bring along. */
async function bullmq(): Promise<Peer | undefined> {
  try {
    createRequire(import.meta.url).resolve('ioredis')
  } catch {
    return undefined
  }
  const { Queue, Worker } = await import('bullmq')
  const port = Number(process.env.BENCH_REDIS_PORT ?? (await startRedis()))
  const connection = { host: '127.0.0.1', port, maxRetriesPerRequest: null }
  return {
    name: 'BullMQ',
    settings: `Redis of its own, appendonly yes, appendfsync everysec; concurrency ${AT_ONCE}; keeps the job`,
    async open() {
      const name = `bench-${count++}`
      const queue = new Queue(name, { connection })
      let worker: InstanceType<typeof Worker> | undefined
      return {
        submit: params => queue.add('work', params),
        submitMany: list => queue.addBulk(list.map(data => ({ name: 'work', data }))),
        work: async onDone => {
          worker = new Worker(name, async job => onDone(job.data as { n: number }), {
            connection,
            concurrency: AT_ONCE,
          })
          await worker.waitUntilReady()
        },
        close: async () => {
          await worker?.close()
          await queue.obliterate({ force: true })
          await queue.close()
        },
      }
    },
  }
}

const stops: (() => void)[] = []

/** All queues that can be measured here, ours first, and why one is missing. */
export async function peers(): Promise<{
  all: readonly Peer[]
  missing: readonly string[]
  stop: () => void
}> {
  const redis = await bullmq()
  return {
    all: [ours, plainjob, pgBoss, graphile, ...(redis ? [redis] : [])],
    missing: redis ? [] : ['BullMQ is not measured: it needs ioredis, which is not installed here'],
    stop: () => {
      for (const stop of stops) stop()
      rmSync(root, { recursive: true, force: true })
    },
  }
}
