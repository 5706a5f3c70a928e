import type { StartFacts } from '../../call/attempt/start-facts.ts'
import type { Failure } from '../../failure/failure.ts'
import { emitWarning } from '../../time/warning.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import type { JobInfo } from './context.ts'
import type { JobOutcome } from './outcome.ts'

/** A try of a job started or ended. `at` is epoch milliseconds. */
export type WorkerEvent = Omit<JobInfo, 'job'> & {
  /** Name of the worker. */
  worker: string
  at: number
  /** Number of the try, from 1, over all starts of the job. */
  attempt: number
} & (
    | ({ type: 'job.started' } & StartFacts)
    | {
        type: 'job.ended'
        outcome: JobOutcome
        /** Absent for a success. */
        failure?: Failure
        /** Absent for a success. */
        verdict?: Verdict
        durationMs: number
        /** Cost of the try; null if unknown. The sum over all events is the total cost. */
        costUsd: number | null
      }
  )

/** A part of a worker that gave no usable answer and was ignored. */
export interface WorkerProblem {
  /** Name of the worker. */
  worker: string
  /** The part: a hook, a policy, the classifier, the timeout. */
  part: string
  /** What is wrong. */
  problem: string
}

/** Reports a problem when no `onProblem` is given, because a mistake must not stay hidden. */
export function warnOfWorker({ worker, part, problem }: WorkerProblem): void {
  emitWarning(`worker ${JSON.stringify(worker)}: ${part}: ${problem}`, 'MULLIGAN_WORKER')
}
