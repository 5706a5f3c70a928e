import type { EngineJob } from './engine-job.ts'
import { isFinal, type JobOutcome, outcomeInWords } from './outcome.ts'
import { type JobRecord, RECORD_KEY, readRecord, recordToJson } from './record.ts'
import type { JobWorker } from './worker.ts'

/** The features of a workflow engine: steps whose results it remembers, and sleeps that survive the process. */
export interface DurableSteps {
  /** Runs the work once and remembers its result; a replay returns the remembered result. */
  run<T>(name: string, work: () => Promise<T>): Promise<T>
  /** Sleeps until a time, epoch milliseconds. */
  sleepUntil(name: string, at: number): Promise<void>
  /** Sleeps until a time, or until it is woken after the start of this number. Default: it only sleeps. */
  sleepOrWake?(name: string, at: number, start: number): Promise<unknown>
  /** How often the engine has started the current step, this time included. Default unknown. */
  begun?(): number
  /**
   * Whether two consecutive steps run in one process unless it dies. A marker step before each try then shows whether a
   * dead process had started the try. Default false.
   */
  isContinuous?: boolean
}

/** What the engine remembers of a try. */
interface Remembered {
  outcome: JobOutcome
  record: Record<string, unknown>
  /** When the next try is due, epoch milliseconds. */
  at: number
  message?: string
}

/** The end of a job that ran as steps of a workflow. */
export type DurableEnd =
  | { outcome: Extract<JobOutcome, { outcome: 'done' }> }
  | { outcome: Extract<JobOutcome, { outcome: 'park' | 'cancel' }>; error: JobError }

/** The error of a workflow whose job ended without success. */
export class JobError extends Error {
  override name = 'JobError'
  readonly code = 'JOB_FAILED'
  /** How the job ended, and why. */
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
 * Runs a job as steps of a workflow: each try is a step that never throws, each wait a sleep. Delays are therefore exact
 * and unbounded, a snooze uses up no attempt, and the engine remembers the counters.
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
    else if (outcome.outcome === 'park' && outcome.until !== undefined)
      await parked(worker, steps, {
        name: `${worker.name} ${number}`,
        since: tried.at,
        until: outcome.until,
        record,
      })
    else
      return { outcome, error: new JobError(tried.message ?? outcomeInWords(outcome), outcome, tried.record) }
  }
}

/** Least time between two questions whether a parked job may go on, in milliseconds; later a tenth of what it has waited. */
const ASK_AFTER_MS = 60_000

/** Waits until the ledger no longer keeps the job. */
async function parked<D, R>(
  worker: JobWorker<D, R>,
  steps: DurableSteps,
  { name, since, until, record }: { name: string; since: number; until: number; record: JobRecord },
): Promise<void> {
  const sleep: NonNullable<DurableSteps['sleepOrWake']> = (...given) =>
    steps.sleepOrWake ? steps.sleepOrWake(...given) : steps.sleepUntil(given[0], given[1])
  for (let look = 1, now = since; now < until; look++) {
    const at = Math.min(until, now + Math.max(ASK_AFTER_MS, (now - since) / 10))
    await sleep(`${name} waits ${look}`, at, record.starts)
    const seen = await steps.run(`${name} asks ${look}`, async () => ({
      waits: (await worker.link?.waits(record.operation ?? '')) ?? true,
      now: worker.time.now(),
    }))
    if (!seen.waits) return
    now = seen.now
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
