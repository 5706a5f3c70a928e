import type { Failure } from '../../failure/failure.ts'
import { emitWarning } from '../../time/warning.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import type { JobInfo } from './context.ts'
import type { JobOutcome } from './outcome.ts'

/** A try of a job begins, or has ended. `at` is epoch milliseconds. */
export type WorkerEvent = Omit<JobInfo, 'job'> & {
  /** Name of the worker. */
  worker: string
  at: number
  /** Number of the try, counted from 1 over all starts of the job. */
  attempt: number
} & (
    | { type: 'job.started' }
    | {
        type: 'job.ended'
        outcome: JobOutcome
        /** Absent for a success. */
        failure?: Failure
        /** Absent for a success. */
        verdict?: Verdict
        durationMs: number
        /** What the try cost, as far as known; the sum over all events is all that was spent. */
        costUsd: number | null
      }
  )

/** Something that gave no usable answer: what was decided without it stands. */
export interface WorkerProblem {
  /** Name of the worker. */
  worker: string
  /** Which part of it: a hook, a policy, the classifier, the timeout. */
  part: string
  /** What is wrong, in words. */
  problem: string
}

/** Tells a problem where nobody asked to be told: a mistake must not pass unseen. */
export function warnOfWorker({ worker, part, problem }: WorkerProblem): void {
  emitWarning(`worker ${JSON.stringify(worker)}: ${part}: ${problem}`, 'MULLIGAN_WORKER')
}
