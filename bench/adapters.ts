import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Queue, Worker } from 'bullmq'
import { Logger, makeWorkerUtils, run as runGraphile } from 'graphile-worker'
import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { bullmqProcessor } from '../src/adapter/bullmq/processor.ts'
import { graphileTask } from '../src/adapter/graphile-worker/task.ts'
import { defineWorker, type JobWorker } from '../src/adapter/job/worker.ts'
import { pgBossHandler } from '../src/adapter/pg-boss/handler.ts'
import { measureHandlers } from './adapter-handlers.ts'
import { figure } from './figures.ts'
import { median } from './measure.ts'

// What an adapter adds to a job that does nothing: the engine with a function of its own beside the engine with a worker
// that does the same, in turns, in one process. Processor time is that of this process with all its threads; the server's is
// in the wall time. The engine alone runs twice in each round: how far these two are apart is what the measurement cannot tell.
// Whatever else runs on the machine only ever adds to the time of a job, so it is taken over short windows, and the lowest
// tenth of them is compared. A connection is opened before the first job, and what that costs a process is told beside it.

const say = (line = '') => process.stdout.write(`${line}\n`)
const ROUNDS = Number(process.env.ROUNDS ?? 20)
const JOBS = Number(process.env.JOBS ?? 2_000)
const AT_ONCE = 16
/** Jobs that are timed together. */
const WINDOW = 200
/** How long an opened connection has to start what it does in the background, in milliseconds. */
const STARTING_MS = 500
const DATABASE = process.env.DATABASE_URL ?? 'postgres://root@127.0.0.1:5432/postgres'
const { hostname: host, port } = new URL(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379')
const connection = { host, port: Number(port || 6379), maxRetriesPerRequest: null }

interface Engine {
  name: string
  /** Adds the jobs to a queue of their own. @param worker undefined for a plain function */
  fill(jobs: number): Promise<{
    /** Runs them all, and resolves when the last has been told of. */
    drain(
      worker: JobWorker | undefined,
      /** Waited for before the first job. */
      begin: () => Promise<void>,
      onDone: () => void,
    ): Promise<void>
    close(): Promise<void>
  }>
}

const bullmq: Engine = {
  name: 'BullMQ',
  async fill(jobs) {
    const name = `bench-${randomUUID()}`
    const queue = new Queue(name, { connection })
    await queue.addBulk(Array.from({ length: jobs }, (_, n) => ({ name: 'work', data: { n } })))
    let worker: Worker | undefined
    return {
      drain: async (ours, begin, onDone) => {
        const processor = ours
          ? bullmqProcessor(ours, { queue })
          : // With a signal, as work that can be called off has it; BullMQ makes one only for functions that take it.
            async (_job: unknown, _token?: string, _signal?: AbortSignal) => {
              onDone()
              return 1
            }
        await begin()
        worker = new Worker(name, processor, { connection, concurrency: AT_ONCE })
      },
      close: async () => {
        await worker?.close()
        await queue.obliterate({ force: true })
        await queue.close()
      },
    }
  },
}

const schema = `mulligan_bench_${randomUUID().slice(0, 8)}`

let boss: PgBoss | undefined
const pgBoss: Engine = {
  name: 'pg-boss',
  async fill(jobs) {
    if (!boss) {
      boss = new PgBoss({
        connectionString: DATABASE,
        schema: `${schema}_boss`,
        supervise: false,
        schedule: false,
        max: 8,
      })
      boss.on('error', () => {})
      await boss.start()
    }
    const client = boss
    const name = `bench-${randomUUID()}`
    await client.createQueue(name)
    await client.insert(
      name,
      Array.from({ length: jobs }, (_, n) => ({ data: { n } })),
    )
    const options = {
      batchSize: AT_ONCE,
      pollingIntervalSeconds: 0.5,
      burstWhenBatchFull: true,
    } as const
    return {
      drain: async (ours, begin, onDone) => {
        const work = async (_job: unknown) => onDone()
        const plain = async (jobs: readonly unknown[]) => {
          await Promise.all(jobs.map(work))
        }
        const handler = ours && pgBossHandler(client, ours, { queue: name })
        await begin()
        if (handler) await client.work(name, options, handler)
        else await client.work(name, options, plain)
      },
      close: async () => {
        await client.offWork(name, { wait: true })
        await client.deleteQueue(name)
      },
    }
  },
}

const graphile: Engine = {
  name: 'graphile-worker',
  async fill(jobs) {
    const task = `bench-${randomUUID()}`
    const shared = {
      connectionString: DATABASE,
      schema: `${schema}_graphile`,
      logger: new Logger(() => () => {}),
    }
    const utils = await makeWorkerUtils(shared)
    await utils.migrate()
    await utils.addJobs(Array.from({ length: jobs }, (_, n) => ({ identifier: task, payload: { n } })))
    let runner: Awaited<ReturnType<typeof runGraphile>> | undefined
    return {
      drain: async (ours, begin, onDone) => {
        const taskList = {
          [task]: ours ? graphileTask(ours, { schema: shared.schema, utils, task }) : async () => onDone(),
        }
        await begin()
        runner = await runGraphile({
          ...shared,
          taskList,
          concurrency: AT_ONCE,
          maxPoolSize: 18,
          noHandleSignals: true,
        })
      },
      close: async () => {
        await runner?.stop()
        await utils.release()
      },
    }
  },
}

interface Sample {
  /** One for each window. */
  cpuMicros: number[]
  wallMicros: number[]
  /** What it takes to open the connection and start what it does in the background. */
  openingMs: number[]
}

async function sample(engine: Engine, arm: (typeof ARMS)[number]): Promise<Sample> {
  const queue = await engine.fill(JOBS)
  const all = Promise.withResolvers<void>()
  const cpuMicros: number[] = []
  const wallMicros: number[] = []
  let done = 0
  const openingMs: number[] = []
  let cpu = process.cpuUsage()
  let startedAt = performance.now()
  const onDone = () => {
    done++
    if (done % WINDOW !== 0) return
    const { user, system } = process.cpuUsage(cpu)
    // The first half also pays for the start of the queue, and of a connection.
    if (done > JOBS / 2) {
      cpuMicros.push((user + system) / WINDOW)
      wallMicros.push(((performance.now() - startedAt) * 1_000) / WINDOW)
    }
    cpu = process.cpuUsage()
    startedAt = performance.now()
    if (done === JOBS) all.resolve()
  }
  const worker = defineWorker({
    provider: 'vendor',
    run: async () => {
      onDone()
      return 1
    },
  })
  const connected =
    arm === 'connected' ? await worker.connect({ ledger: join(folder, 'ledger.db') }) : undefined
  const begin = async () => {
    if (!connected) return
    await delay(STARTING_MS)
    const { user, system } = process.cpuUsage(cpu)
    openingMs.push((user + system) / 1_000)
  }
  await queue.drain(arm === 'ours' || connected ? worker : undefined, begin, onDone)
  await all.promise
  await queue.close()
  await connected?.close()
  return { cpuMicros, wallMicros, openingMs }
}

const ARMS = ['alone', 'again', 'ours', 'connected'] as const
const folder = mkdtempSync(join(tmpdir(), 'mulligan-bench-'))
const tenth = (list: readonly number[]) =>
  list.toSorted((a, b) => a - b)[Math.floor((list.length - 1) / 10)] as number
const times = (ratio: number) => `${ratio.toFixed(3)} ×`

say(
  'A successful job in the function of the adapter, without an engine; µs of processor time per job, medians.',
)
say()
say('| adapter | a plain function | with a worker | added |')
say('|---|---|---|---|')
for (const [name, { plain, ours }] of await measureHandlers())
  say(`| ${[name, plain.toFixed(2), ours.toFixed(2), (ours - plain).toFixed(2)].join(' | ')} |`)
say()
say(
  `${JOBS} jobs that do nothing, ${AT_ONCE} at once, ${ROUNDS} rounds in turns; µs of processor time per job, lowest tenth of the windows.`,
)
say()
say(
  '| engine | alone | with a worker | ratio | of medians | alone again | ratio of wall time | connected | ratio to a worker alone | of medians | opened once, ms |',
)
say('|---|---|---|---|---|---|---|---|---|---|---|')
try {
  const engines = [bullmq, pgBoss, graphile]
  for (const engine of engines) {
    if (!engine.name.toLowerCase().includes((process.env.ENGINE ?? '').toLowerCase())) continue
    const samples: Record<(typeof ARMS)[number], Sample[]> = { alone: [], again: [], ours: [], connected: [] }
    // The first rounds warm up.
    for (let round = -2; round < ROUNDS; round++)
      for (let turn = 0; turn < ARMS.length; turn++) {
        const arm = ARMS[(round + turn + ARMS.length) % ARMS.length] as (typeof ARMS)[number]
        const taken = await sample(engine, arm)
        if (round >= 0) samples[arm].push(taken)
      }
    const all = (arm: (typeof ARMS)[number], field: keyof Sample) => samples[arm].flatMap(one => one[field])
    const ratio = (
      arm: (typeof ARMS)[number],
      field: keyof Sample,
      of: (list: number[]) => number,
      base: (typeof ARMS)[number] = 'alone',
    ) => times(of(all(arm, field)) / of(all(base, field)))
    const cells = [
      engine.name,
      tenth(all('alone', 'cpuMicros')).toFixed(1),
      tenth(all('ours', 'cpuMicros')).toFixed(1),
      ratio('ours', 'cpuMicros', tenth),
      ratio('ours', 'cpuMicros', median),
      ratio('again', 'cpuMicros', tenth),
      ratio('ours', 'wallMicros', tenth),
      tenth(all('connected', 'cpuMicros')).toFixed(1),
      ratio('connected', 'cpuMicros', tenth, 'ours'),
      ratio('connected', 'cpuMicros', median, 'ours'),
      median(all('connected', 'openingMs')).toFixed(0),
    ]
    figure({
      what: `a job of ${engine.name} that succeeds`,
      unit: 'µs of processor time',
      better: 'less',
      values: {
        'a connected worker': tenth(all('connected', 'cpuMicros')),
        'a worker': tenth(all('ours', 'cpuMicros')),
        'the engine alone': tenth(all('alone', 'cpuMicros')),
      },
      aim: '0.95 ×',
    })
    say(`| ${cells.join(' | ')} |`)
  }
  say()
  say('to reach: at most 1.05 ×')
} finally {
  rmSync(folder, { recursive: true, force: true })
  await boss?.stop({ graceful: false })
  const client = new pg.Client(DATABASE)
  await client.connect()
  for (const name of [`${schema}_boss`, `${schema}_graphile`])
    await client.query(`drop schema if exists ${name} cascade`)
  await client.end()
}
