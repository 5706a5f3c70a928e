import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Queue } from 'bullmq'
import { Logger, makeWorkerUtils } from 'graphile-worker'
import { PgBoss } from 'pg-boss'
import type { Ledger } from '../src/ledger/ledger.ts'
import { openPostgresLedger } from '../src/ledger/postgres/postgres-ledger.ts'
import { openLedger } from '../src/ledger/sqlite/sqlite-ledger.ts'
import { quietly } from '../src/time/clean-up.ts'
import { TestSchema } from '../test/adapter/conformance/database.ts'
import type { CitizenRunner } from './citizen-runner.ts'
import { CitizenVendor } from './citizen-vendor.ts'

// Worker processes of another engine share a provider that refuses calls for a while again and again, and are killed at
// random moments. Some jobs fail in a way that nobody knows until a person labels it in the middle. In the end every job
// must have ended once, with one effect.

export interface CrashCitizensOptions {
  engine: CitizenRunner['engine']
  jobs: number
  kills: number
  /** Whether the workers are connected to a ledger. Without one, no job fails in an unknown way: it would end. */
  isConnected: boolean
  /** Whether the ledger is on PostgreSQL. Default: in a file. */
  isOnPostgres?: boolean
  /** Whether each kill comes between the write to the ledger and the one to the engine. Default: at any moment. */
  isBetween?: boolean
}

export interface CrashCitizensReport {
  jobs: number
  done: number
  /** Jobs that the engine reports as failed or never ended. */
  notDone: number
  effectsTwice: number
  effectsMissing: number
  killed: number
  seconds: number
  /** Calls, and those that were refused because of a limit: all but the first of each limit were wasted. */
  calls: number
  limits: number
  refused: number
  /** Limits of three seconds, and the calls that they refused. */
  longLimits: number
  refusedLong: number
  /** Refused calls that were begun later than a second after the limit. */
  refusedLate: number
  parked: number
  /** Operations that the ledger does not report as ended; undefined without a ledger. */
  open?: number
  /** Operations whose end nobody told, although their job is done. */
  untold?: number
  findings: readonly string[]
  /** Some of the jobs that are not done, and of the operations that have not ended. */
  left: readonly string[]
}

const WORKERS = 4
const REDIS = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379'
const DATABASE = process.env.DATABASE_URL ?? 'postgres://root@127.0.0.1:5432/postgres'

/** One engine with its jobs. */
interface Filled {
  server: string
  /** How many jobs are done, and how many have ended in another way. */
  counts(): Promise<{ done: number; failed: number }>
  /** Some of the jobs that are not done, in words, to find out why. */
  left(): Promise<string[]>
  /** What an operator or the engine's supervisor does after a worker process was killed. */
  recover?(workers: readonly string[]): Promise<void>
  close(): Promise<void>
}

/** What the run has for itself. */
interface Place {
  queue: string
  schema: string
  /** A database on PostgreSQL. */
  database: TestSchema
}

type Fill = (place: Place, jobs: number) => Promise<Filled>

const FILL: Record<CitizenRunner['engine'], Fill> = {
  bullmq: async ({ queue: name }, jobs) => {
    const { hostname: host, port } = new URL(REDIS)
    const queue = new Queue(name, {
      connection: { host, port: Number(port || 6379), maxRetriesPerRequest: null },
    })
    for (let from = 0; from < jobs; from += 1_000)
      await queue.addBulk(
        numbers(from, jobs).map(n => ({ name: 'job', data: { n }, opts: { attempts: 100 } })),
      )
    return {
      server: REDIS,
      counts: async () => {
        const { completed = 0, failed = 0 } = await queue.getJobCounts('completed', 'failed')
        return { done: completed, failed }
      },
      left: async () => {
        const left = await queue.getJobs(['failed', 'delayed', 'active', 'wait'], 0, MOST_LEFT)
        return left.map(({ id, attemptsStarted, data }) => inWords({ id, attemptsStarted, data }))
      },
      close: async () => {
        await queue.obliterate({ force: true })
        await queue.close()
      },
    }
  },
  'pg-boss': async ({ queue, schema, database }, jobs) => {
    const { connectionString } = database
    const boss = new PgBoss({ connectionString, schema, supervise: false, schedule: false, max: 2 })
    boss.on('error', () => {})
    await boss.start()
    await boss.createQueue(queue)
    const settings = { retryLimit: 100, expireInSeconds: 5 }
    for (let from = 0; from < jobs; from += 1_000)
      await boss.insert(
        queue,
        numbers(from, jobs).map(n => ({ data: { n }, ...settings })),
      )
    return {
      server: connectionString,
      counts: async () => {
        await boss.supervise(queue)
        const rows = await database.query(
          `select state::text, count(*)::int as n from ${schema}.job where name = $1 group by 1`,
          [queue],
        )
        const of = (state: string) => rows.find(row => row.state === state)?.n ?? 0
        return { done: of('completed'), failed: of('failed') + of('cancelled') }
      },
      left: async () => {
        const rows = await database.query(
          `select id, state::text, retry_count, retry_limit, start_after, data from ${schema}.job
           where name = $1 and state <> 'completed' limit ${MOST_LEFT}`,
          [queue],
        )
        return rows.map(inWords)
      },
      close: async () => {
        await boss.stop({ graceful: false })
      },
    }
  },
  'graphile-worker': async ({ queue: task, schema, database }, jobs) => {
    const { connectionString } = database
    const utils = await makeWorkerUtils({ connectionString, schema, logger: new Logger(() => () => {}) })
    await utils.migrate()
    for (let from = 0; from < jobs; from += 1_000)
      await utils.addJobs(
        numbers(from, jobs).map(n => ({
          identifier: task,
          payload: { n },
          jobKey: `job-${n}`,
          maxAttempts: 100,
        })),
      )
    return {
      server: connectionString,
      counts: async () => {
        // A row without its key was replaced by another, and its worker was killed before graphile-worker could delete it.
        const [row] = await database.query(
          `select count(*)::int as n, (count(*) filter (where attempts >= max_attempts and locked_at is null))::int as failed
           from ${schema}._private_jobs where key is not null`,
        )
        return { done: jobs - (row?.n ?? 0), failed: row?.failed ?? 0 }
      },
      left: async () => {
        const rows = await database.query(
          `select id, key, attempts, locked_by, run_at, last_error, payload from ${schema}._private_jobs
           where key is not null limit ${MOST_LEFT}`,
        )
        return rows.map(inWords)
      },
      recover: workers => utils.forceUnlockWorkers([...workers]),
      close: () => utils.release() as Promise<void>,
    }
  },
}

/** How many of the jobs that are left are shown. */
const MOST_LEFT = 10

function inWords(row: unknown): string {
  return JSON.stringify(row).slice(0, 1_000)
}

function numbers(from: number, jobs: number): number[] {
  return Array.from({ length: Math.min(1_000, jobs - from) }, (_, index) => from + index)
}

/** A worker process, and what graphile-worker calls its pool. */
interface Started {
  child: ChildProcess
  workers: string[]
}

export async function crashCitizens(options: CrashCitizensOptions): Promise<CrashCitizensReport> {
  const { engine, jobs, kills, isConnected, isOnPostgres = false, isBetween = false } = options
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-citizens-'))
  const database = await TestSchema.alone(DATABASE, 'crash')
  const place = isOnPostgres ? database.connectionString : join(folder, 'ledger.db')
  const ledger = isOnPostgres
    ? await openPostgresLedger({ database: place })
    : await openLedger({ file: place })
  const names = { queue: `crash-${randomUUID()}`, schema: 'jobs' }
  const vendor = new CitizenVendor({ jobs, hasUnknowns: isConnected })
  const filled = await FILL[engine]({ ...names, database }, jobs)
  const given: CitizenRunner = {
    engine,
    server: filled.server,
    ...names,
    vendor: await vendor.listen(),
    ...(isConnected ? { ledger: place } : {}),
  }
  const running = new Set<Started>()
  let killed = 0
  let isOver = false
  const start = () => {
    const diesBetween = isBetween && killed < kills
    const child = fork(fileURLToPath(new URL('./citizen-runner.ts', import.meta.url)), {
      execArgv: ['--conditions=mulligan-source'],
      env: { ...process.env, CITIZEN: JSON.stringify({ ...given, diesBetween }) },
    })
    const started: Started = { child, workers: [] }
    child.on('message', message => {
      const { workerId } = message as { workerId?: string }
      if (workerId !== undefined) started.workers.push(workerId)
    })
    running.add(started)
    if (diesBetween)
      child.once('exit', async () => {
        if (isOver) return
        killed++
        running.delete(started)
        start()
        await quietly(async () => filled.recover?.(started.workers))
      })
  }
  const kill = async (started: Started) => {
    const { child } = started
    const isGone = new Promise(resolve => child.once('exit', resolve))
    // One that could not start is gone already.
    if (child.exitCode === null && child.kill('SIGKILL')) await isGone
    running.delete(started)
    await filled.recover?.(started.workers)
  }
  const startedAt = performance.now()
  try {
    for (let n = 0; n < WORKERS; n++) start()
    let isLabelled = false
    let last = -1
    let changedAt = performance.now()
    for (;;) {
      await delay(400)
      const { done, failed } = await filled.counts()
      if (done + failed >= jobs) break
      if (done !== last) changedAt = performance.now()
      last = done
      // No progress for two minutes: the rest is reported as not done.
      if (performance.now() - changedAt > 120_000) break
      // The kills are spread over the run, so that most of them happen while jobs run.
      const isTime = !isBetween && killed < kills && done / jobs > killed / (kills * 1.1)
      const victim = [...running][Math.floor(Math.random() * running.size)]
      if (isTime && victim) {
        killed++
        await kill(victim)
        start()
      }
      if (isConnected && !isLabelled && done > jobs / 2) {
        const { items } = await ledger.unknowns()
        for (const { fingerprint } of items)
          await ledger.transaction(writes =>
            writes.addLabel({ fingerprint, class: 'transient', who: 'crash' }),
          )
        vendor.labelled()
        isLabelled = items.length > 0
      }
    }
    const seconds = (performance.now() - startedAt) / 1_000
    const { done } = await filled.counts()
    // What the workers still write, and what they find out by comparing the ledger with the engine: a worker that was
    // killed while the ledger did not answer has told nobody how its jobs ended.
    if (isConnected)
      for (let tries = 0; tries < 300 && (await openOf(ledger)) > 0; tries++) await delay(1_000)
    const events = await ledger.events({ types: ['parked'], limit: 100_000 })
    return {
      ...{ jobs, done, notDone: jobs - done, killed, seconds },
      ...vendor.report(),
      parked: new Set(events.map(({ operation }) => operation)).size,
      ...(isConnected
        ? { open: await openOf(ledger), untold: (await ledger.counts()).deadAs.unverifiable ?? 0 }
        : {}),
      findings: (await ledger.check()).map(({ rule, message }) => `${rule}: ${message}`),
      left: [
        ...(done < jobs ? await filled.left() : []),
        ...(await ledger.list({ state: ['scheduled', 'running', 'parked'] }, { limit: MOST_LEFT })).items.map(
          inWords,
        ),
      ],
    }
  } finally {
    isOver = true
    for (const started of running) started.child.kill('SIGKILL')
    await quietly(() => filled.close())
    await quietly(() => vendor.close())
    await quietly(() => ledger.close())
    await quietly(() => database.drop())
    await quietly(() => rmSync(folder, { recursive: true, force: true }))
  }
}

async function openOf(ledger: Ledger): Promise<number> {
  const { states } = await ledger.counts()
  return states.scheduled + states.running + states.parked
}
