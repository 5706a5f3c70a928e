import type { JobWorker } from '../../../src/adapter/job/worker.ts'

/** A job as its engine reports it. */
export interface ShownJob {
  /** `waiting`: due or running; `delayed`: due later; `failed` and `cancelled` are final. */
  state: 'waiting' | 'delayed' | 'done' | 'failed' | 'cancelled'
  /** When it is due, epoch milliseconds. */
  dueAt?: number
  data: Record<string, unknown>
  /** The reason that the engine reports for a failure. */
  error?: string
  /** The result, if the engine stores results. */
  value?: unknown
  /** Attempts used, of those that the engine allows. */
  attemptsUsed: number
}

/** A real engine with one queue, for the conformance suite. */
export interface EngineBench {
  /** Adds a job. @param retries retries that the engine allows; default many */
  add(data: Record<string, unknown>, retries?: number): Promise<string>
  show(id: string): Promise<ShownJob>
  /** Makes a delayed job due now. */
  makeDue(id: string): Promise<void>
  /** Retries a job that has ended, as a person would in the engine's dashboard. */
  retryByHand(id: string): Promise<void>
  /** Whether the engine holds back a due job because of its provider's limit. */
  isHeldBack(id: string): Promise<boolean>
  /** Cancels a running job, as a person would; undefined if the engine cannot. */
  cancelRunning?(id: string): Promise<void>
  /** Starts running jobs. */
  start(worker: JobWorker): Promise<void>
  /** Starts a job on a worker that dies. Resolves when the engine offers the job again. */
  lose(id: string): Promise<void>
  /** Removes a waiting job, as a person would, or as an engine does that forgets it. */
  remove(id: string): Promise<void>
  /** Stops running jobs after the running ones have settled. */
  stop(): Promise<void>
  close(): Promise<void>
}

/** An engine under test, and how it differs from the others. */
export interface ConformingEngine {
  name: string
  /** Most that a due time may be off, in milliseconds. */
  precisionMs: number
  /** State in which the engine reports a cancelled job. */
  cancelledAs: 'failed' | 'cancelled'
  /** Whether results are stored. */
  storesResults: boolean
  /** Opens a separate queue for one test. */
  open(): Promise<EngineBench>
  /** Removes everything it left behind. */
  end(): Promise<void>
}
