import { bullmqProcessor } from '../src/adapter/bullmq/processor.ts'
import { graphileTask } from '../src/adapter/graphile-worker/task.ts'
import { defineWorker } from '../src/adapter/job/worker.ts'
import { pgBossHandler } from '../src/adapter/pg-boss/handler.ts'
import { median } from './measure.ts'

// What a successful job costs in an adapter alone: its function is called with jobs and signals as the engine makes them, in
// turns with a plain function, in one loop without server or network. It says nothing about the engine, but can be measured
// on a busy machine.

const BATCH = 16
const BATCHES = 1_500
const ROUNDS = 14

type Handler = (...given: never[]) => Promise<unknown>
interface Subject {
  name: string
  ours: Handler
  plain: Handler
  /** Passes a batch of jobs to a handler as the engine does. */
  pass(handler: Handler): Promise<unknown>
}

const worker = defineWorker({ run: async () => 1 })
const numbers = Array.from({ length: BATCH }, (_, n) => n)
const none = async () => 1

const SUBJECTS: readonly Subject[] = [
  {
    name: 'BullMQ',
    ours: bullmqProcessor(worker) as Handler,
    plain: none,
    pass: handler =>
      Promise.all(
        numbers.map(n => {
          const counts = { attemptsMade: 0, attemptsStarted: 1, stalledCounter: 0 }
          const job = { id: `${n}`, queueName: 'q', data: { n }, opts: {}, ...counts }
          return handler(job as never, 'token' as never, new AbortController().signal as never)
        }),
      ),
  },
  {
    name: 'pg-boss',
    ours: pgBossHandler({ getDb: () => ({}) } as never, worker) as Handler,
    plain: async (jobs: readonly unknown[]) => {
      await Promise.all(jobs.map(none))
    },
    pass: async handler => {
      const batch = new AbortController()
      const jobs = numbers.map(n => ({
        ...{ id: `${n}`, name: 'q', data: { n }, retryCount: 0 },
        signal: AbortSignal.any([batch.signal, new AbortController().signal]),
      }))
      await handler(jobs as never)
      batch.abort()
    },
  },
  {
    name: 'graphile-worker',
    ours: graphileTask(worker) as Handler,
    plain: none,
    pass: handler => {
      const abortSignal = new AbortController().signal
      const counts = { attempts: 1, max_attempts: 25, priority: 0 }
      return Promise.all(
        numbers.map(n => {
          const job = { id: `${n}`, key: null, task_identifier: 't', flags: null, ...counts }
          return handler({ n } as never, { job, abortSignal } as never)
        }),
      )
    },
  },
]

/** Processor time of the plain function and of the adapter, µs per job, by engine. */
export async function measureHandlers(): Promise<Map<string, { plain: number; ours: number }>> {
  const measured = new Map<string, { plain: number; ours: number }>()
  for (const { name, pass, ...handlers } of SUBJECTS) {
    const micros: Record<keyof typeof handlers, number[]> = { plain: [], ours: [] }
    for (let round = 0; round < ROUNDS; round++)
      for (const arm of round % 2 === 0 ? (['plain', 'ours'] as const) : (['ours', 'plain'] as const)) {
        const cpu = process.cpuUsage()
        for (let n = 0; n < BATCHES; n++) {
          await pass(handlers[arm])
          // Engines wait for their server between batches.
          await new Promise(setImmediate)
        }
        const { user, system } = process.cpuUsage(cpu)
        micros[arm].push((user + system) / (BATCHES * BATCH))
      }
    measured.set(name, { plain: median(micros.plain), ours: median(micros.ours) })
  }
  return measured
}
