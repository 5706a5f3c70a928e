import { quietly } from '../../time/clean-up.ts'
import { outcomeInWords, type UnfinishedOutcome } from '../job/outcome.ts'
import { hasEnded, readRecord, recordForRetryByHand, withRecord } from '../job/record.ts'
import type { JobWorker } from '../job/worker.ts'
import type { GraphileClient } from './desk.ts'
import { type GraphileUtils, graphileDesk } from './desk.ts'

/** The part of a graphile-worker job that the adapter uses. */
export interface GraphileJob {
  id: string
  key: string | null
  task_identifier: string
  attempts: number
  max_attempts: number
  priority: number
  flags: Readonly<Record<string, true>> | null
  created_at?: Date
}

/** The part of graphile-worker's task helpers that the adapter uses. */
export interface GraphileHelpers {
  job: GraphileJob
  abortSignal?: AbortSignal | undefined
  getQueueName(): string | null | PromiseLike<string | null>
  withPgClient<T>(work: (client: GraphileClient) => Promise<T>): Promise<T>
}

/** Options of {@link graphileTask}. */
export interface GraphileOptions {
  /** The schema of graphile-worker. Default `graphile_worker`. */
  schema?: string
  /**
   * Graphile-worker's utilities (`makeWorkerUtils`), through which jobs that a connected worker parked go on. Default
   * none: a parked job ends.
   */
  utils?: GraphileUtils
  /**
   * Name of the task, for a connected worker: jobs parked before this process started then go on at once. Default:
   * learned from the first job.
   */
  task?: string
}

/** A graphile-worker task. */
export type GraphileTask = (payload: unknown, helpers: GraphileHelpers) => Promise<void>

/** Runs a worker on graphile-worker jobs: `run({ taskList: { agent: graphileTask(worker) } })`. */
export function graphileTask<D, R>(
  worker: JobWorker<D, R>,
  { schema = 'graphile_worker', utils, task }: GraphileOptions = {},
): GraphileTask {
  const quoted = `"${schema.replaceAll('"', '""')}"`
  const attend = (name: string) => utils && worker.attend(graphileDesk(utils, quoted, name))
  if (task !== undefined) attend(task)
  let attended = task
  return async (payload, helpers) => {
    const { job, abortSignal } = helpers
    if (attended !== job.task_identifier) {
      attend(job.task_identifier)
      attended = job.task_identifier
    }
    const record = readRecord(payload)
    if (hasEnded(record)) {
      // A person retried it, and may have set any number of attempts. A new job counts from 1, so a lost worker shows.
      const afresh = {
        payload: withRecord(payload, recordForRetryByHand(record, worker.bounds.retry)),
        runAt: new Date(worker.time.now()),
      }
      return replace(helpers, quoted, afresh, 'retried by hand')
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
      ...(job.created_at === undefined ? {} : { createdAt: new Date(job.created_at).getTime() }),
      again: async () => ({
        queueName: await helpers.getQueueName(),
        maxAttempts: job.max_attempts,
        priority: job.priority,
        flags: job.flags ? Object.keys(job.flags) : null,
      }),
      signal: abortSignal,
      abortMeans: 'stop',
    })
    if (outcome.outcome === 'done') return
    const reason = error?.message ?? outcomeInWords(outcome)
    return replace(
      helpers,
      quoted,
      replacementFor(outcome, data ?? payload, reason, worker.time.now()),
      reason,
    )
  }
}

function replacementFor(
  outcome: UnfinishedOutcome,
  payload: unknown,
  reason: string,
  now: number,
): Replacement {
  switch (outcome.outcome) {
    case 'retry':
      return { payload, runAt: new Date(now + outcome.afterMs) }
    case 'snooze':
      return { payload, runAt: new Date(outcome.until) }
    case 'park':
      if (outcome.until !== undefined) return { payload, runAt: new Date(outcome.until) }
      return { payload, failedWith: reason }
    default:
      return { payload, failedWith: reason }
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

/** What a job is replaced with: one that is due at a time, or one that has failed for good. */
type Replacement = { payload: unknown; runAt: Date } | { payload: unknown; failedWith: string }

/**
 * Replaces the running job with a new one under the same key, in one transaction, so that no worker starts a failed one.
 * Graphile-worker then never retries the running one. Throws if a newer job has taken the key meanwhile: that one stays.
 */
async function replace(
  helpers: GraphileHelpers,
  quoted: string,
  replacement: Replacement,
  reason: string,
): Promise<void> {
  const { job } = helpers
  const queueName = await helpers.getQueueName()
  await helpers.withPgClient(async client => {
    await client.query('begin')
    try {
      // The lock makes a newer job of the same key wait; it then replaces ours.
      const { rows: own } = await client.query(
        `select key from ${quoted}._private_jobs where id = $1::bigint for update`,
        [job.id],
      )
      if (job.key !== null && own[0]?.key !== job.key)
        throw new Error(`${reason}; not tried again, because a newer job has the key ${job.key}`)
      const { rows } = await client.query(
        `select id from ${quoted}.add_job(identifier => $1, payload => $2::json, queue_name => $3, run_at => $4,
           max_attempts => $5, job_key => $6, priority => $7, flags => $8)`,
        [
          job.task_identifier,
          JSON.stringify(replacement.payload ?? {}),
          queueName,
          'runAt' in replacement ? replacement.runAt : null,
          job.max_attempts,
          keyOf(job),
          job.priority,
          job.flags ? Object.keys(job.flags) : null,
        ],
      )
      if ('failedWith' in replacement)
        await client.query(`select 1 from ${quoted}.permanently_fail_jobs(array[$1::bigint], $2)`, [
          rows[0]?.id,
          replacement.failedWith,
        ])
      await client.query('commit')
    } catch (error) {
      await quietly(() => client.query('rollback'))
      throw error
    }
  })
}

/** The job's key, which is the same for all its tries; its id is not. */
function keyOf({ key, id }: GraphileJob): string {
  return key ?? `mulligan:${id}`
}
