import { WrongArgument } from '../../failure/own-error.ts'
import { quietly } from '../../time/clean-up.ts'
import type { EngineJob, Performed } from '../job/engine-job.ts'
import { isFinal, type UnfinishedOutcome } from '../job/outcome.ts'
import { hasEnded, readRecord, startNumber } from '../job/record.ts'
import type { JobWorker } from '../job/worker.ts'
import type { PgBossClient } from './desk.ts'
import { pgBossDesk } from './desk.ts'

/** The part of a pg-boss job that the adapter uses. */
export interface PgBossJob {
  id: string
  name: string
  data: unknown
  retryCount: number
  /** Only with `includeMetadata`; without, it is looked up for a job that did not succeed. */
  retryLimit?: number
  signal?: AbortSignal
}

/** The function that pg-boss calls with fetched jobs. */
export type PgBossHandler = (jobs: readonly PgBossJob[]) => Promise<unknown>

/** Options of {@link pgBossHandler}. */
export interface PgBossOptions {
  /**
   * Name of the queue, for a connected worker: jobs parked before this process started then go on at once. Default:
   * learned from the first job.
   */
  queue?: string
}

/**
 * Runs a worker on pg-boss jobs: `boss.work('agents', pgBossHandler(boss, worker))`. No transaction stays open while the
 * work runs.
 */
export function pgBossHandler<D, R>(
  boss: PgBossClient,
  worker: JobWorker<D, R>,
  { queue }: PgBossOptions = {},
): PgBossHandler {
  if (typeof boss?.getDb !== 'function')
    throw new WrongArgument('pgBossHandler: the first argument must be a PgBoss instance')
  let attended = queue
  if (queue !== undefined) worker.attend(pgBossDesk(boss, queue))
  return async jobs => {
    const name = jobs[0]?.name
    if (name !== undefined && name !== attended) {
      worker.attend(pgBossDesk(boss, name))
      attended = name
    }
    const ends = await Promise.allSettled(jobs.map(job => runJob(boss, worker, job)))
    const broken = ends.find(end => end.status === 'rejected')
    if (broken) {
      await completeThoseDone(boss, jobs, ends)
      throw broken.reason
    }
    // pg-boss stores one result for all jobs that it fetched together.
    const [first] = ends
    return ends.length === 1 && first?.status === 'fulfilled' ? first.value?.value : undefined
  }
}

/** If one job cannot be settled, pg-boss fails all that it fetched together, and would run those again that succeeded. */
async function completeThoseDone(
  boss: PgBossClient,
  jobs: readonly PgBossJob[],
  ends: readonly PromiseSettledResult<Done | undefined>[],
): Promise<void> {
  const done = jobs.filter((_job, index) => {
    const end = ends[index]
    return end?.status === 'fulfilled' && end.value !== undefined
  })
  // If this fails too, the next start finds a lost worker, and is decided as such.
  await Promise.allSettled(done.map(({ id, name, retryCount }) => boss.complete(name, { id, retryCount })))
}

/** A job that succeeded. */
interface Done {
  value: unknown
}

/** Resolves with undefined for a job that did not succeed and is settled. */
async function runJob<D, R>(
  boss: PgBossClient,
  worker: JobWorker<D, R>,
  job: PgBossJob,
): Promise<Done | undefined> {
  const start = new PgBossStart(boss, job)
  const performed = await worker.perform(start)
  const { outcome } = performed
  if (outcome.outcome === 'done') {
    // The job is done, whether or not its record can be written: pg-boss completes what is still active.
    if (performed.data) await quietly(() => completeWith(boss, job, performed.data as object, outcome.value))
    return outcome
  }
  await settle(boss, worker, { ...job, retryLimit: await start.retryLimit() }, performed, outcome)
  return undefined
}

/** One start of a job by pg-boss. A class, because what only a failure needs then costs a success nothing. */
class PgBossStart implements EngineJob {
  readonly job: PgBossJob
  readonly #boss: PgBossClient
  #retryLimit: Promise<number> | undefined

  constructor(boss: PgBossClient, job: PgBossJob) {
    if (typeof job.retryCount !== 'number')
      throw new WrongArgument(
        'pgBossHandler: the job has no retryCount: use pg-boss 12.35 or later, or call boss.work with { includeMetadata: true }',
      )
    this.#boss = boss
    this.job = job
  }

  get engine(): string {
    return 'pg-boss'
  }

  get queue(): string {
    return this.job.name
  }

  get jobId(): string {
    return this.job.id
  }

  get data(): unknown {
    return this.job.data
  }

  get starts(): number {
    return startNumber(this.job.data, this.job.retryCount + 1)
  }

  /** Aborts when the claim is lost or pg-boss stops: in both cases another worker continues. */
  get signal(): AbortSignal | undefined {
    return this.job.signal
  }

  get abortMeans(): 'stop' {
    return 'stop'
  }

  /** The settings that make a difference to its retries; the ledger has the rest. */
  async again(): Promise<unknown> {
    return { retryLimit: await this.retryLimit() }
  }

  /** A job retried by hand has used up pg-boss's retries, so only the worker's own limit counts. */
  async retriesLeft(): Promise<number | undefined> {
    const { data, retryCount } = this.job
    return hasEnded(readRecord(data)) ? undefined : (await this.retryLimit()) - retryCount
  }

  /** Looked up once. Most jobs succeed and need no limit, so pg-boss does not have to send it with each of them. */
  retryLimit(): Promise<number> {
    this.#retryLimit ??= retryLimitOf(this.#boss, this.job)
    return this.#retryLimit
  }
}

async function retryLimitOf(
  boss: PgBossClient,
  { id, name, retryCount, retryLimit }: PgBossJob,
): Promise<number> {
  if (retryLimit !== undefined) return retryLimit
  const [stored] = await boss.findJobs(name, { id })
  // A job that was deleted meanwhile needs no settling.
  return stored?.retryLimit ?? retryCount
}

/**
 * Carries out the outcome in one transaction. Afterwards the job is no longer active, so pg-boss does not complete it.
 * A job whose claim was lost meanwhile is left alone.
 */
async function settle<D, R>(
  boss: PgBossClient,
  { time, bounds }: JobWorker<D, R>,
  job: PgBossJob & { retryLimit: number },
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
      if (!isFinal(outcome)) {
        const startAfter = new Date('until' in outcome ? (outcome.until as number) : now + afterMsOf(outcome))
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
    await quietly(() => tx.rollback())
    throw error
  }
}

function afterMsOf(outcome: UnfinishedOutcome): number {
  return outcome.outcome === 'retry' ? outcome.afterMs : 0
}

/** Completes a job that failed before together with its record, which pg-boss cannot change while the job runs. */
async function completeWith(boss: PgBossClient, job: PgBossJob, data: object, value: unknown): Promise<void> {
  const { id, name } = job
  const tx = await transaction(boss)
  const within = { db: tx.db }
  try {
    const { affected } = (await boss.cancel(name, job, within)) ?? {}
    if (affected === 0) return await tx.rollback()
    await boss.resume(name, id, within)
    await boss.update(name, data, { id, ...within })
    await boss.complete(name, id, value as object, { includeQueued: true, ...within })
    await tx.commit()
  } catch (error) {
    await quietly(() => tx.rollback())
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
