import type { JobWorker } from '../job/worker.ts'

/** A job as its engine shows it. */
export interface ShownJob {
  /** `waiting` is due or running, `delayed` due later; `failed` and `cancelled` are final. */
  state: 'waiting' | 'delayed' | 'done' | 'failed' | 'cancelled'
  /** Epoch milliseconds at which it is due. */
  dueAt?: number
  data: Record<string, unknown>
  /** What the engine shows as the reason of a failure. */
  error?: string
  /** The result, where the engine stores one. */
  value?: unknown
  /** What it has used of the attempts that the engine allows. */
  attemptsUsed: number
}

/** A real engine with one queue, as the conformance suite uses it. */
export interface EngineBench {
  /** Adds a job. @param retries how many the engine allows; default many */
  add(data: Record<string, unknown>, retries?: number): Promise<string>
  show(id: string): Promise<ShownJob>
  /** Makes a delayed job due now. */
  makeDue(id: string): Promise<void>
  /** Retries a job that has ended, as a person does in the engine's own dashboard. */
  retryByHand(id: string): Promise<void>
  /** Whether the engine holds a job back that is due, because of the limit of its provider. */
  isHeldBack(id: string): Promise<boolean>
  /** Calls off a job that runs, as a person does; undefined where the engine has no way to. */
  callOff?(id: string): Promise<void>
  /** Starts to run jobs. */
  start(worker: JobWorker): Promise<void>
  /** Starts a job with a worker that is lost, and returns when the engine hands it out again. */
  lose(id: string): Promise<void>
  /** Stops to run jobs, once what runs has been settled. */
  stop(): Promise<void>
  close(): Promise<void>
}

/** An engine, and where it differs. */
export interface ConformingEngine {
  name: string
  /** Milliseconds by which a due time may be off. */
  precisionMs: number
  /** How a cancelled job is shown. */
  cancelledAs: 'failed' | 'cancelled'
  /** Whether results are stored. */
  storesResults: boolean
  /** A queue of its own for one test. */
  open(): Promise<EngineBench>
  /** Removes all that it has left. */
  end(): Promise<void>
}
