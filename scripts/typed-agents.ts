import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { Queue, Worker } from 'bullmq'
import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import { PgBoss } from 'pg-boss'
import { z } from 'zod'
import type { FaultName } from '../lab/fault/table.ts'
import { startLab } from '../lab/start.ts'
import { bullmqProcessor } from '../src/adapter/bullmq/processor.ts'
import { graphileTask } from '../src/adapter/graphile-worker/task.ts'
import { type JobRecord, readRecord } from '../src/adapter/job/record.ts'
import { defineWorker, type JobWorker } from '../src/adapter/job/worker.ts'
import { pgBossHandler } from '../src/adapter/pg-boss/handler.ts'
import { sessionFrom } from '../src/agent/resume.ts'
import { runAgent } from '../src/agent/run-agent.ts'
import type { WorkContext } from '../src/capability/context.ts'
import { defineCapability } from '../src/capability/define.ts'
import { openQueue } from '../src/queue/open.ts'
import { realTime, sleep } from '../src/time/time.ts'
import { defaultPolicy } from '../src/verdict/default-policy.ts'
import type { Policy } from '../src/verdict/policy.ts'
import { TestSchema } from '../test/adapter/conformance/database.ts'
import { testPostgres, testRedis } from '../test/adapter/conformance/servers.ts'
import { endingOf } from '../test/typed-failures.ts'
import { CLIS } from './lab-matrix/cli.ts'
import { installClis } from './lab-matrix/install.ts'

// Runs the real claude CLI as the work of four engines, against five faults of the lab, and prints whether verdict,
// failure, session and cost end alike. Run it by hand: node scripts/typed-agents.ts

const FAULTS: readonly FaultName[] = ['rate_limit', 'overloaded', 'auth', 'unfinished_stream', 'tool_loop']
const LIMIT_MS = 60_000
type Job = { fault: FaultName }
type Read = (fault: FaultName) => Promise<JobRecord | undefined>

/** The default policy without the waits between tries. */
const policy: Policy = {
  name: 'default at once',
  verdict(failure, circumstances) {
    const verdict = defaultPolicy.verdict(failure, circumstances)
    return 'action' in verdict && verdict.action === 'retry' ? { ...verdict, delayMs: 0 } : verdict
  },
  health: defaultPolicy.health,
}
const SETTINGS = { policy, resumable: true, maxRetries: 1, retryForMs: 3_600_000 } as const

const folder = mkdtempSync(join(tmpdir(), 'mulligan-typed-agents-'))
const cache = fileURLToPath(new URL('../.cache/lab-clis', import.meta.url))
const bin = await installClis(cache, line => process.stderr.write(`${line}\n`), ['claude'])
const labs = new Map(
  await Promise.all(
    FAULTS.map(async fault => [fault, await startLab({ script: fault, waitMs: 3_600_000 })] as const),
  ),
)

/** One try: a session that was interrupted is continued where it began. */
async function work(engine: string, fault: FaultName, context: Pick<WorkContext, 'resume' | 'signal'>) {
  // Of one length in all engines: the CLI tells the model its folder, and pays for each character.
  const home = join(folder, engine.padEnd(16, '-'), fault)
  const cwd = join(home, 'work')
  mkdirSync(cwd, { recursive: true })
  const { env, model } = CLIS.claude(home, (labs.get(fault) as { url: string }).url, true)
  const claude = { id: 'claude', cli: 'claude', binary: join(bin, 'claude'), model, selfRetries: 0 } as const
  const session = context.resume && sessionFrom(claude, context.resume)
  const outcome = await runAgent(
    claude,
    {
      prompt: session ? 'Go on.' : 'Say hi.',
      ...(session ? { session } : {}),
      options: { timeoutMs: 90_000, maxTurns: 3 },
    },
    {
      cwd,
      signal: context.signal,
      env: { PATH: process.env.PATH, HOME: home, TERM: 'dumb', LANG: 'C.UTF-8', ...env },
    },
  )
  return outcome.ok ? outcome.text : outcome
}

const workerOf = (engine: string): JobWorker =>
  defineWorker<Job>({ ...SETTINGS, pause: false, run: ({ fault }, context) => work(engine, fault, context) })

/** Waits until no job is to be tried at once, and says how each ended. A session is another one in each engine. */
async function endings(read: Read): Promise<Record<string, unknown>> {
  const end = realTime.monotonic() + LIMIT_MS
  for (;;) {
    const records = await Promise.all(FAULTS.map(read))
    const isOver = records.every(each => each?.verdict && each.verdict.action !== 'retry')
    if (isOver || realTime.monotonic() > end)
      return Object.fromEntries(
        records.map((record, index) => {
          const ending = record ? endingOf(record) : {}
          return [
            FAULTS[index],
            { ...ending, failure: String(ending.failure).replace(/session \S+/, 'session') },
          ]
        }),
      )
    await sleep(realTime, 500)
  }
}

async function inOurs() {
  const capability = defineCapability({
    ...SETTINGS,
    name: 'agent',
    retry: 'none',
    params: z.object({ fault: z.enum(FAULTS as readonly [FaultName]) }),
    run: ({ fault }: Job, context: WorkContext) => work('ours', fault, context),
  } as never)
  const queue = await openQueue({ data: join(folder, 'data'), capabilities: [capability] as never })
  const ids = new Map<FaultName, string>()
  for (const fault of FAULTS) ids.set(fault, (await queue.submit('agent', { fault })).id)
  await queue.runner({ concurrency: FAULTS.length } as never).start()
  const ended = await endings(async fault => {
    const attempts = await queue.ledger.attempts(ids.get(fault) as string)
    const { verdict, failure } = attempts.at(-1) ?? {}
    const costUsd = attempts.reduce((sum, attempt) => sum + (attempt.costUsd ?? 0), 0)
    return { tries: attempts.length, costUsd, verdict, failure } as never
  })
  await queue.close()
  return ended
}

async function inBullmq(url: string) {
  const { hostname: host, port } = new URL(url)
  const options = {
    connection: { host, port: Number(port || 6379), maxRetriesPerRequest: null },
    prefix: `mulligan-${randomUUID()}`,
  }
  const queue = new Queue('typed', options)
  for (const fault of FAULTS) await queue.add('job', { fault }, { jobId: `job-${fault}`, attempts: 9 })
  const worker = new Worker('typed', bullmqProcessor(workerOf('bullmq')), {
    ...options,
    concurrency: FAULTS.length,
  })
  worker.on('error', () => {})
  const ended = await endings(async fault => readRecord((await queue.getJob(`job-${fault}`))?.data))
  await worker.close(true)
  await queue.obliterate({ force: true })
  await queue.close()
  return ended
}

async function inPgBoss(connectionString: string) {
  const schema = new TestSchema(connectionString, 'pgboss')
  const boss = new PgBoss({ connectionString, schema: schema.name, supervise: false, schedule: false })
  boss.on('error', () => {})
  await boss.start()
  await boss.createQueue('typed')
  const ids = new Map<FaultName, string>()
  for (const fault of FAULTS)
    ids.set(fault, (await boss.send('typed', { fault }, { retryLimit: 9 })) as string)
  const options = { batchSize: FAULTS.length, pollingIntervalSeconds: 0.5 }
  await boss.work('typed', options, pgBossHandler(boss, workerOf('pg-boss')) as never)
  const ended = await endings(async fault =>
    readRecord((await boss.findJobs('typed', { id: ids.get(fault) as string }))[0]?.data),
  )
  await boss.stop({ graceful: false })
  await schema.drop()
  return ended
}

async function inGraphile(url: string) {
  const schema = await TestSchema.alone(url, 'graphile')
  const shared = {
    connectionString: schema.connectionString,
    schema: schema.name,
    logger: new Logger(() => () => {}),
  }
  const utils = await makeWorkerUtils(shared)
  await utils.migrate()
  for (const fault of FAULTS) await utils.addJob('typed', { fault }, { jobKey: fault, maxAttempts: 10 })
  const taskList = { typed: graphileTask(workerOf('graphile-worker'), { schema: schema.name }) }
  const runner = await run({
    ...shared,
    taskList,
    concurrency: FAULTS.length,
    pollInterval: 500,
    noHandleSignals: true,
  })
  const ended = await endings(async fault => {
    const rows = await schema.query(`select key, payload from ${schema.name}._private_jobs`)
    return readRecord(rows.find(({ key }) => key === fault)?.payload)
  })
  await runner.stop()
  await utils.release()
  await schema.drop()
  return ended
}

const [redis, postgres] = [await testRedis(), await testPostgres()]
if ('missing' in redis) throw new Error(redis.missing)
if ('missing' in postgres) throw new Error(postgres.missing)
const engines: Record<string, () => Promise<Record<string, unknown>>> = {
  ours: inOurs,
  bullmq: () => inBullmq(redis.url),
  'pg-boss': () => inPgBoss(postgres.url),
  'graphile-worker': () => inGraphile(postgres.url),
}
let ours: Record<string, unknown> | undefined
for (const [engine, ends] of Object.entries(engines)) {
  const ended = await ends()
  ours ??= ended
  for (const fault of FAULTS) {
    const isAlike = isDeepStrictEqual(ended[fault], ours[fault])
    if (!isAlike) process.exitCode = 1
    process.stdout.write(
      `${isAlike ? 'alike' : 'OTHER'} ${engine} ${fault} ${JSON.stringify(ended[fault])}\n`,
    )
  }
}
for (const lab of labs.values()) await lab.close()
for (const server of [redis, postgres]) await server.stop()
rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
