import type { JobInfo } from './context.ts'
import type { JobOutcome } from './outcome.ts'
import type { JobRecord } from './record.ts'

/** A job as an adapter passes it to a worker. */
export interface EngineJob extends JobInfo {
  /** The submitted data, which may include the record. */
  data: unknown
  /** The record, for engines that cannot change a job's data. Default the one in the data. */
  record?: JobRecord
  /**
   * How often the engine has started the job, this time included; reveals lost workers. An engine that counts a job added again
   * from 1 adds `mulligan.starts_before` of its data. Default unknown.
   */
  starts?: number
  /**
   * Retries that the engine still allows; a function if it must be looked up, called once and not for a success.
   * Default only the worker's own limit counts.
   */
  retriesLeft?: number | (() => Promise<number | undefined>) | undefined
  /** When the engine created it, epoch milliseconds: tells it from an earlier job with the same id. Default unknown. */
  createdAt?: number
  /** What the adapter needs to add it again, as JSON; asked only if a try of it failed. Default nothing. */
  again?: () => unknown
  /** Aborts when the engine wants the work to end. Default never. */
  signal?: AbortSignal | undefined
  /** What an abort means: `cancel`: the job was cancelled; `stop`: this worker stops and another continues. Default `cancel`. */
  abortMeans?: 'cancel' | 'stop'
}

/** The result of one start of a job. */
export interface Performed {
  outcome: JobOutcome
  /** The record to store with the job. */
  record: JobRecord
  /** The data with the record; undefined if the data is not an object. */
  data: Record<string, unknown> | undefined
  /** The error, for engines that store one; undefined for a success. */
  error?: Error
  /** Set if the job waits for its provider: when to ask again, epoch milliseconds, if others can end the wait early. */
  lookAgainAt?: number
  /** Set if jobs of the same provider should not start before this time, epoch milliseconds. */
  pauseUntil?: number
}
