import { outcomeInWords } from '../job/outcome.ts'
import { hasEnded, readRecord, recordForRetryByHand, withRecord } from '../job/record.ts'
import type { JobWorker } from '../job/worker.ts'

/** The part of a graphile-worker job that the adapter uses. */
export interface GraphileJob {
  id: string
  key: string | null
  task_identifier: string
  attempts: number
  max_attempts: number
  priority: number
  flags: Readonly<Record<string, true>> | null
}

/** The part of graphile-worker's task helpers that the adapter uses. */
export interface GraphileHelpers {
  job: GraphileJob
  abortSignal?: AbortSignal | undefined
  addJob(task: string, payload: unknown, spec: GraphileSpec): Promise<unknown>
  getQueueName(): string | null | PromiseLike<string | null>
  withPgClient<T>(work: (client: GraphileClient) => Promise<T>): Promise<T>
}

/** Options of a new job. */
export interface GraphileSpec {
  jobKey: string
  runAt: Date
  maxAttempts: number
  priority: number
  queueName?: string
  flags?: string[]
}

/** A connection to PostgreSQL. */
export interface GraphileClient {
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>
}

/** Options of {@link graphileTask}. */
export interface GraphileOptions {
  /** The schema of graphile-worker. Default `graphile_worker`. */
  schema?: string
}

/** A graphile-worker task. */
export type GraphileTask = (payload: unknown, helpers: GraphileHelpers) => Promise<void>

/** Runs a worker on graphile-worker jobs: `run({ taskList: { agent: graphileTask(worker) } })`. */
export function graphileTask<D, R>(
  worker: JobWorker<D, R>,
  { schema = 'graphile_worker' }: GraphileOptions = {},
): GraphileTask {
  return async (payload, helpers) => {
    const { job, abortSignal } = helpers
    const record = readRecord(payload)
    if (hasEnded(record)) {
      // A person retried it, and may have set any number of attempts. A new job counts from 1, so a lost worker shows.
      await addAgain(helpers, withRecord(payload, recordForRetryByHand(record)), worker.time.now())
      return
    }
    const { outcome, data, error } = await worker.perform({
      engine: 'graphile-worker',
      queue: job.task_identifier,
      jobId: keyOf(job),
      job,
      data: payload,
      // A job that was added again counts its attempts from 1 again.
      starts: record.starts + job.attempts,
      retriesLeft: job.max_attempts - 1 - record.retries,
      signal: abortSignal,
      abortMeans: 'stop',
    })
    switch (outcome.outcome) {
      case 'done':
        return
      case 'retry':
        return addAgain(helpers, data, worker.time.now() + outcome.afterMs)
      case 'snooze':
        return addAgain(helpers, data, outcome.until)
      default:
        return fail(helpers, schema, data ?? payload, error?.message ?? outcomeInWords(outcome))
    }
  }
}

/**
 * The flags of workers that a limit stops, for graphile-worker's `forbiddenFlags`. Jobs added with the provider's name as
 * a flag do not start until the limit lifts.
 */
export function pausedFlags(
  ...workers: readonly Pick<JobWorker, 'name' | 'provider' | 'pausedUntil'>[]
): () => string[] {
  return () =>
    workers.filter(({ pausedUntil }) => pausedUntil > 0).map(({ provider, name }) => provider ?? name)
}

/** Replaces the running job with a new one under the same key. Graphile-worker then never retries the running one. */
async function addAgain(helpers: GraphileHelpers, payload: unknown, at: number): Promise<void> {
  const { job } = helpers
  const queueName = await helpers.getQueueName()
  await helpers.addJob(job.task_identifier, payload, {
    jobKey: keyOf(job),
    runAt: new Date(at),
    maxAttempts: job.max_attempts,
    priority: job.priority,
    ...(queueName === null ? {} : { queueName }),
    ...(job.flags ? { flags: Object.keys(job.flags) } : {}),
  })
}

/** Replaces the job with one that has failed for good, with the reason as its last error. One transaction, so no worker can start it. */
async function fail(
  helpers: GraphileHelpers,
  schema: string,
  payload: unknown,
  reason: string,
): Promise<void> {
  const { job } = helpers
  const quoted = `"${schema.replaceAll('"', '""')}"`
  const queueName = await helpers.getQueueName()
  await helpers.withPgClient(async client => {
    await client.query('begin')
    try {
      const { rows } = await client.query(
        `select id from ${quoted}.add_job(identifier => $1, payload => $2::json, queue_name => $3, max_attempts => $4,
           job_key => $5, priority => $6, flags => $7)`,
        [
          job.task_identifier,
          JSON.stringify(payload ?? {}),
          queueName,
          job.max_attempts,
          keyOf(job),
          job.priority,
          job.flags ? Object.keys(job.flags) : null,
        ],
      )
      await client.query(`select 1 from ${quoted}.permanently_fail_jobs(array[$1::bigint], $2)`, [
        rows[0]?.id,
        reason,
      ])
      await client.query('commit')
    } catch (error) {
      await client.query('rollback')
      throw error
    }
  })
}

/** The job's key, which is the same for all its tries; its id is not. */
function keyOf({ key, id }: GraphileJob): string {
  return key ?? `mulligan:${id}`
}
