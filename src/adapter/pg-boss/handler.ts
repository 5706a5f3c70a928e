import { WrongArgument } from '../../failure/own-error.ts'
import type { Performed } from '../job/engine-job.ts'
import type { UnfinishedOutcome } from '../job/outcome.ts'
import { hasEnded, readRecord } from '../job/record.ts'
import type { JobWorker } from '../job/worker.ts'

/** The part of a pg-boss job that the adapter uses; needs `includeMetadata`. */
export interface PgBossJob {
  id: string
  name: string
  data: unknown
  retryCount: number
  retryLimit: number
  signal?: AbortSignal
}

/** A connection with an open transaction. */
export interface PgBossDatabase {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

/** The part of pg-boss that the adapter uses to settle a job. */
export interface PgBossClient {
  getDb(): {
    beginTransaction?(): Promise<{
      db: PgBossDatabase
      commit(): Promise<void>
      rollback(): Promise<void>
    }>
  }
  cancel(queue: string, job: string | Attempt, options: Within): Promise<Affected>
  resume(queue: string, id: string, options: Within): Promise<Affected>
  fail(queue: string, job: string | Attempt, output: object, options: Within): Promise<Affected>
  update(
    queue: string,
    data: object | undefined,
    options: Within & { id: string; startAfter?: Date; retryLimit?: number },
  ): Promise<unknown>
}

interface Attempt {
  id: string
  retryCount: number
}
interface Within {
  // biome-ignore lint/suspicious/noExplicitAny: rows of pg-boss are of any type
  db: { executeSql(text: string, values?: unknown[]): Promise<{ rows: any[] }> }
}
type Affected = { affected?: number } | undefined

/** The function that pg-boss calls with fetched jobs. */
export type PgBossHandler = (jobs: readonly PgBossJob[]) => Promise<unknown>

/**
 * Runs a worker on pg-boss jobs: `boss.work('agents', { includeMetadata: true }, pgBossHandler(boss, worker))`. No
 * transaction stays open while the work runs.
 */
export function pgBossHandler<D, R>(boss: PgBossClient, worker: JobWorker<D, R>): PgBossHandler {
  if (typeof boss?.getDb !== 'function')
    throw new WrongArgument('pgBossHandler: the first argument must be a PgBoss instance')
  return async jobs => {
    const results = await Promise.all(jobs.map(job => runJob(boss, worker, job)))
    // pg-boss stores one result for all jobs that it fetched together.
    return results.length === 1 ? results[0] : undefined
  }
}

async function runJob<D, R>(boss: PgBossClient, worker: JobWorker<D, R>, job: PgBossJob): Promise<unknown> {
  const { id, name, data, retryCount, retryLimit, signal } = job
  if (typeof retryLimit !== 'number')
    throw new WrongArgument('pgBossHandler: call boss.work with { includeMetadata: true }')
  const performed = await worker.perform({
    engine: 'pg-boss',
    queue: name,
    jobId: id,
    job,
    data,
    starts: retryCount + 1,
    // A job retried by hand has used up pg-boss's retries, so only the worker's own limit counts.
    retriesLeft: hasEnded(readRecord(data)) ? undefined : retryLimit - retryCount,
    // Aborts when the claim is lost or pg-boss stops: in both cases another worker continues.
    signal,
    abortMeans: 'stop',
  })
  if (performed.outcome.outcome === 'done') return performed.outcome.value
  await settle(boss, worker, job, performed, performed.outcome)
  return undefined
}

/**
 * Carries out the outcome in one transaction. Afterwards the job is no longer active, so pg-boss does not complete it.
 * A job whose claim was lost meanwhile is left alone.
 */
async function settle<D, R>(
  boss: PgBossClient,
  { time, bounds }: JobWorker<D, R>,
  job: PgBossJob,
  { data, error }: Performed,
  outcome: UnfinishedOutcome,
): Promise<void> {
  const { id, name, retryCount, retryLimit } = job
  const now = time.now()
  const isCounted = outcome.outcome === 'retry' && !outcome.isFree
  const tx = await transaction(boss)
  const within = { db: tx.db }
  const output = { message: error?.message ?? outcome.reason, mulligan: data?.mulligan ?? null }
  try {
    if (isCounted && retryCount < retryLimit) {
      const { affected } = (await boss.fail(name, job, output, within)) ?? {}
      if (affected === 0) return await tx.rollback()
      await boss.update(name, data, { id, startAfter: new Date(now + outcome.afterMs), ...within })
    } else {
      // pg-boss cannot change a running job, but it can after a cancel and resume; the transaction hides that.
      const { affected } = (await boss.cancel(name, job, within)) ?? {}
      if (affected === 0) return await tx.rollback()
      await boss.resume(name, id, within)
      if (outcome.outcome === 'retry' || outcome.outcome === 'snooze') {
        const startAfter = new Date(outcome.outcome === 'snooze' ? outcome.until : now + outcome.afterMs)
        // pg-boss counts the next start as a retry, so allow one more; a job retried by hand gets all its retries.
        const allowed = isCounted ? retryCount + 1 + bounds.maxRetries : retryLimit + 1
        await boss.update(name, data, { id, startAfter, retryLimit: allowed, ...within })
      } else {
        // `fail` stores the reason. With a retry left the job can then be cancelled; without, it goes to the dead letters.
        const isCancelled = endsAs(outcome) === 'cancelled'
        await boss.update(name, data, { id, retryLimit: retryCount + (isCancelled ? 1 : 0), ...within })
        await boss.fail(name, id, output, within)
        if (isCancelled) await boss.cancel(name, id, within)
      }
    }
    await tx.commit()
  } catch (error) {
    await tx.rollback()
    throw error
  }
}

/** Jobs that are exhausted, expired or wait for a person end as failed, because pg-boss lists those and can retry them. */
function endsAs(outcome: UnfinishedOutcome): 'failed' | 'cancelled' {
  return outcome.outcome === 'cancel' && outcome.as !== 'exhausted' && outcome.as !== 'expired'
    ? 'cancelled'
    : 'failed'
}

async function transaction(boss: PgBossClient) {
  const db = boss.getDb()
  if (!db.beginTransaction)
    throw new WrongArgument(
      "pgBossHandler: the database given to pg-boss must have beginTransaction, as pg-boss's own pool does",
    )
  return db.beginTransaction()
}
