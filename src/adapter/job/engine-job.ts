import type { JobInfo } from './context.ts'
import type { JobOutcome } from './outcome.ts'
import type { JobRecord } from './record.ts'

/** A job as an adapter hands it to a worker. */
export interface EngineJob extends JobInfo {
  /** What was submitted, and the record beside it. */
  data: unknown
  /** The record, for engines whose data cannot be changed. Default that in the data. */
  record?: JobRecord
  /** How often the engine has started the job, now included; a lost worker shows by it. Default unknown. */
  starts?: number
  /** Retries that the engine still allows. Default no limit but that of the worker. */
  retriesLeft?: number | undefined
  /** Aborted when the engine wants the work to end. Default never. */
  signal?: AbortSignal | undefined
  /** What that means: the job was called off, or the worker stops and another one goes on. Default `cancel`. */
  abortMeans?: 'cancel' | 'stop'
}

/** What became of a start of a job. */
export interface Performed {
  outcome: JobOutcome
  /** What to keep with the job. */
  record: JobRecord
  /** The data with it; undefined for data that can hold none. */
  data: Record<string, unknown> | undefined
  /** What failed, for engines that store an error; undefined for a success. */
  error?: Error
  /** Set if jobs of the same provider should not start before this time, in epoch milliseconds. */
  pauseUntil?: number
}
