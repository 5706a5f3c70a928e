import type { Failure } from '../failure/failure.ts'
import type { Verdict } from '../verdict/index.ts'

/** One try of the work, as it is written down. Without a failure it succeeded. */
export interface NewAttempt {
  /** Epoch milliseconds. */
  startedAt: number
  endedAt: number
  provider?: string
  model?: string
  failure?: Failure
  /** What was decided about the failure. */
  verdict?: Verdict
  costUsd?: number
  turns?: number
  sessionId?: string
  /** Anything else worth keeping, as JSON: what a verification said, who changed the verdict. */
  note?: unknown
}

export interface Attempt extends NewAttempt {
  operation: string
  /** From 1 upward within the operation, over all its runs. */
  number: number
  run: number
}

/** More tries than this no operation may have: bounds on retries, snoozes and waits end it long before. */
export const MOST_ATTEMPTS = 65_535
