/** A job that goes back to its engine. */
export interface HandedBack {
  /** The engine's id or key of the job. */
  jobId: string
  /**
   * Its data with its record.
   * @param stored the data of the job in its engine; undefined for one that is added again, and counts its starts from 1
   */
  data(stored?: unknown): Record<string, unknown>
  /** Whether a person changed the data here, so that the engine's copy is outdated. */
  isEdited: boolean
  /** What the adapter stored to add it again. */
  again: unknown
  /**
   * The engine's number of the last start that the ledger knows. While the job runs as this start, its worker is about to
   * tell the engine how it ended, or was killed before it could.
   */
  start: number
}

/** How a job stands in its engine: `waiting` includes running and delayed; `gone` may have ended in any way. */
export type StateInEngine =
  | { state: 'waiting' | 'gone' }
  | { state: 'done'; value?: unknown }
  | { state: 'failed'; reason: string }

/**
 * Moves jobs of one queue of another engine, from outside a run, through the engine's own API. Every method may be
 * called twice for the same job, by two processes: the second call changes nothing.
 */
export interface EngineDesk {
  /** Name of the engine, such as `bullmq`. */
  readonly engine: string
  /** The engine's queue or task. */
  readonly queue: string
  /**
   * Makes a waiting or failed job due now; adds it again if it is gone. Leaves one alone that runs or succeeded. False if
   * it still runs as the start that the ledger knows: then it must be asked again.
   */
  resume(job: HandedBack): Promise<boolean>
  /** Has a waiting job ended by its engine. Leaves one alone that runs or has ended. False as for `resume`. */
  cancel(job: HandedBack, reason: string): Promise<boolean>
  state(jobId: string): Promise<StateInEngine>
}
