import type { EngineJob } from './engine-job.ts'
import { isFinal, type JobOutcome, outcomeInWords } from './outcome.ts'
import { type JobRecord, RECORD_KEY, readRecord, recordToJson } from './record.ts'
import type { JobWorker } from './worker.ts'

/** What a workflow engine offers: work whose result it remembers, and a sleep that survives the process. */
export interface DurableSteps {
  /** Runs the work once and remembers its result; later it is answered from memory. */
  run<T>(name: string, work: () => Promise<T>): Promise<T>
  /** Sleeps until a time, in epoch milliseconds. */
  sleepUntil(name: string, at: number): Promise<void>
  /** Times that the engine has begun the step that runs now, this one included. Default unknown. */
  begun?(): number
  /**
   * Whether two steps in a row run in one process unless it dies: then a step before each try tells whether a try was begun
   * by a process that died. Default false.
   */
  isContinuous?: boolean
}

/** What is remembered of a try. */
interface Remembered {
  outcome: JobOutcome
  record: Record<string, unknown>
  /** Epoch milliseconds of the next try. */
  at: number
  message?: string
}

/** How a job ended that was run as steps of a workflow. */
export type DurableEnd =
  | { outcome: Extract<JobOutcome, { outcome: 'done' }> }
  | { outcome: Extract<JobOutcome, { outcome: 'park' | 'cancel' }>; error: JobError }

/** The error that a workflow ends with: it holds what became of the job. */
export class JobError extends Error {
  override name = 'JobError'
  readonly code = 'JOB_FAILED'
  /** Why it ended. */
  readonly outcome: JobOutcome
  /** Counters, last failure and verdict, as JSON. */
  readonly mulligan: Readonly<Record<string, unknown>>

  constructor(message: string, outcome: JobOutcome, mulligan: Readonly<Record<string, unknown>>) {
    super(message)
    this.outcome = outcome
    this.mulligan = mulligan
  }
}

/**
 * Runs a job as steps of a workflow: each try is a step that never throws, each wait a sleep. So delays are exact and
 * unbounded, a snooze uses up nothing, and the counters are what the engine remembers.
 */
export async function performDurably<D, R>(
  worker: JobWorker<D, R>,
  job: Omit<EngineJob, 'record' | 'starts'>,
  steps: DurableSteps,
): Promise<DurableEnd> {
  let record = readRecord(undefined)
  for (let number = 1; ; number++) {
    let isHere = true
    if (steps.isContinuous) {
      isHere = false
      await steps.run(`${worker.name} ${number} begins`, async () => {
        isHere = true
        return null
      })
    }
    const tried = await steps.run(`${worker.name} ${number}`, () =>
      perform(worker, { ...job, record, starts: record.starts + (steps.begun?.() ?? (isHere ? 1 : 2)) }),
    )
    record = readRecord({ [RECORD_KEY]: tried.record })
    const { outcome } = tried
    if (outcome.outcome === 'done') return { outcome }
    if (outcome.outcome === 'retry' || outcome.outcome === 'snooze')
      await steps.sleepUntil(`${worker.name} ${number} waits`, tried.at)
    else
      return { outcome, error: new JobError(tried.message ?? outcomeInWords(outcome), outcome, tried.record) }
  }
}

async function perform<D, R>(
  worker: JobWorker<D, R>,
  job: EngineJob & { record: JobRecord },
): Promise<Remembered> {
  const { outcome, record, error } = await worker.perform(job)
  const now = worker.time.now()
  const at =
    outcome.outcome === 'snooze' ? outcome.until : now + (outcome.outcome === 'retry' ? outcome.afterMs : 0)
  return {
    outcome,
    record: recordToJson(record),
    at,
    ...(isFinal(outcome) && error ? { message: error.message } : {}),
  }
}
