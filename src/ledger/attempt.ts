import type { Failure } from '../failure/failure.ts'
import type { Verdict } from '../verdict/verdict.ts'

/** One try of the work, as it is written down. Without a failure it succeeded. */
export interface NewAttempt {
  /** Epoch milliseconds. */
  startedAt: number
  /** Epoch milliseconds. */
  endedAt: number
  /** Name of the provider that served it; absent where it needs none. */
  provider?: string
  /** The model, where that is known. */
  model?: string
  /** Absent if it succeeded. */
  failure?: Failure
  /** What was decided about the failure. */
  verdict?: Verdict
  /** US dollars; absent if unknown, which is not nothing. */
  costUsd?: number
  /** Turns of an agent. */
  turns?: number
  /** The session of the agent, which a resume would continue. */
  sessionId?: string
  /** Anything else worth keeping, as JSON: what a verification said, who changed the verdict. */
  note?: unknown
}

/** One try of the work, as it was written down. */
export interface Attempt extends NewAttempt {
  /** Id of the operation. */
  operation: string
  /** From 1 upward within the operation, over all its runs. */
  number: number
  /** Number of the run it was made in. */
  run: number
}

/** More tries than this no operation may have: bounds on retries, snoozes and waits end it long before. */
export const MOST_ATTEMPTS = 65_535
