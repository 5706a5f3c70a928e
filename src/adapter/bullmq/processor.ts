import { present } from '../../failure/present.ts'
import { quietly } from '../../time/clean-up.ts'
import { outcomeInWords, type UnfinishedOutcome } from '../job/outcome.ts'
import { asObject, hasEnded, RECORD_KEY, readRecord, startNumber } from '../job/record.ts'
import type { JobWorker } from '../job/worker.ts'
import type { BullmqQueue } from './desk.ts'
import { bullmqDesk } from './desk.ts'

/** The part of a BullMQ job that the adapter uses. */
export interface BullmqJob {
  id?: string | undefined
  queueName: string
  data: unknown
  attemptsMade: number
  attemptsStarted: number
  /** How often it was restarted because its worker stopped renewing it. */
  stalledCounter: number
  opts: { attempts?: number; backoff?: unknown }
  name?: string
  /** When it was added, epoch milliseconds. */
  timestamp?: number
  updateData(data: never): Promise<unknown>
  moveToDelayed(timestamp: number, token?: string): Promise<unknown>
}

/** Options of {@link bullmqProcessor}. */
export interface BullmqOptions {
  /**
   * The queue of the jobs. A provider limit pauses it for all workers, and jobs that a connected worker parked go on
   * through it. Default none: only this worker's jobs wait, and a parked one ends.
   */
  queue?: BullmqQueue
}

/** The function that BullMQ calls for each job, with its Redis or its PostgreSQL backend. */
export type BullmqProcessor = (job: BullmqJob, token?: string, signal?: AbortSignal) => Promise<unknown>

/** Runs a worker on BullMQ jobs: `new Worker('agents', bullmqProcessor(worker, { queue }), { connection })`. */
export function bullmqProcessor<D, R>(
  worker: JobWorker<D, R>,
  { queue }: BullmqOptions = {},
): BullmqProcessor {
  if (queue) worker.attend(bullmqDesk(queue))
  // All three parameters must be declared: BullMQ passes a signal only to functions that take three.
  return async (job, token, signal) => {
    const ended = endLostWithItsWorker(job)
    if (ended) {
      await job.updateData(withCounts(job.data, job) as never)
      throw unrecoverable(ended)
    }
    const isSuccessLost = lostWithItsWorker(job) && readRecord(job.data).succeededAt !== undefined
    if (isSuccessLost && !worker.link) {
      await quietly(() => job.updateData(withCounts(job.data, job) as never))
      // The result is lost too; only a ledger has it.
      return undefined
    }
    const { attempts } = job.opts
    const performed = await worker.perform({
      engine: 'bullmq',
      queue: job.queueName,
      jobId: job.id ?? '',
      job,
      data: isSuccessLost ? withoutSuccess(job.data) : job.data,
      starts: startNumber(job.data, job.attemptsStarted),
      // Without `attempts` BullMQ never retries, so only the worker's own limit counts.
      retriesLeft: attempts ? attempts - 1 - job.attemptsMade : undefined,
      ...present({ createdAt: job.timestamp }),
      again: () => ({ name: job.name, attempts }),
      signal,
    })
    const { outcome, data, pauseUntil } = performed
    if (outcome.outcome === 'done') {
      // The job is done, whether or not its record can be written.
      if (data) await quietly(() => job.updateData(withCounts(data, job) as never))
      return outcome.value
    }
    if (data) await job.updateData(withCounts(data, job) as never)
    if (queue && pauseUntil !== undefined) await pause(worker, queue, pauseUntil)
    throw await errorFor(outcome, performed.error, job, token, worker.time.now())
  }
}

/** The error that makes BullMQ do what was decided. BullMQ recognises its own errors by name. */
async function errorFor(
  outcome: UnfinishedOutcome,
  error: Error | undefined,
  job: BullmqJob,
  token: string | undefined,
  now: number,
): Promise<Error> {
  const message = error?.message ?? outcomeInWords(outcome)
  const options = error?.cause === undefined ? {} : { cause: error.cause }
  switch (outcome.outcome) {
    case 'park':
      if (outcome.until !== undefined) return delayed(job, outcome.until, token, message)
      return unrecoverable(message, options)
    case 'cancel':
      return unrecoverable(message, options)
    case 'retry': {
      if (outcome.isFree) return delayed(job, now, token, message)
      // Changes only this object, not the stored job: BullMQ reads the delay of the coming retry from it.
      job.opts.attempts = Math.max(job.opts.attempts ?? 0, job.attemptsMade + 2)
      job.opts.backoff = { type: 'fixed', delay: Math.round(outcome.afterMs) }
      return new Error(message, options)
    }
    case 'snooze':
      return delayed(job, outcome.until, token, message)
  }
}

function unrecoverable(message: string, options: ErrorOptions = {}): Error {
  return Object.assign(new Error(message, options), { name: 'UnrecoverableError' })
}

/**
 * BullMQ stores the data of a job and its end in two steps. If the worker dies between them, BullMQ starts the job again
 * as stalled, although its record says that it ended; only the count of stalls tells that from a retry by a person.
 */
function lostWithItsWorker({ data, stalledCounter }: BullmqJob): boolean {
  const { stalls } = asObject(asObject(data)?.[RECORD_KEY]) ?? {}
  return typeof stalls === 'number' && stalledCounter > stalls
}

function endLostWithItsWorker(job: BullmqJob): string | undefined {
  const record = readRecord(job.data)
  if (!hasEnded(record) || !lostWithItsWorker(job)) return undefined
  return `${record.failure?.message ?? 'it ended'} (${String(record.verdict?.reason)})`
}

/** The data as it was before the success, which the ledger knows. */
function withoutSuccess(data: unknown): Record<string, unknown> {
  const { succeeded_at: _at, ...record } = asObject(asObject(data)?.[RECORD_KEY]) ?? {}
  return { ...asObject(data), [RECORD_KEY]: record }
}

/** The data with BullMQ's own counts in its record. */
function withCounts(data: unknown, { attemptsStarted, stalledCounter }: BullmqJob): Record<string, unknown> {
  const given = asObject(data)
  const record = {
    ...asObject(given?.[RECORD_KEY]),
    starts: startNumber(data, attemptsStarted),
    stalls: stalledCounter,
  }
  return { ...given, [RECORD_KEY]: record }
}

/** Delays a job without using up an attempt. */
async function delayed(
  job: BullmqJob,
  until: number,
  token: string | undefined,
  message: string,
): Promise<Error> {
  await job.moveToDelayed(until, token)
  return Object.assign(new Error(message), { name: 'DelayedError' })
}

/** Pauses the queue. An error here must not fail the job, because the other jobs will meet the limit themselves. */
async function pause<D, R>(worker: JobWorker<D, R>, queue: BullmqQueue, until: number): Promise<void> {
  try {
    await queue.rateLimit(Math.max(1, Math.round(until - worker.time.now())))
  } catch (error) {
    worker.report('pause', `the queue could not be paused: ${(error as Error)?.message ?? error}`)
  }
}
