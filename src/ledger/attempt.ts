import type { Failure } from '../failure/failure.ts'
import type { TokenUsage } from '../failure/stream/usage.ts'
import type { Verdict } from '../verdict/verdict.ts'

/** The record of one try of the work. Without a failure, it succeeded. */
export interface NewAttempt {
  /** Epoch milliseconds. */
  startedAt: number
  /** Epoch milliseconds. */
  endedAt: number
  /** Name of the provider that served it; absent if it needs none. */
  provider?: string
  /** The model, if known. */
  model?: string
  /** Absent if it succeeded. */
  failure?: Failure
  /** The decision about the failure. */
  verdict?: Verdict
  /** US dollars; absent if unknown, because unknown is not zero. */
  costUsd?: number
  /** What its answer used; absent if it does not say. */
  usage?: TokenUsage
  /** Number of agent turns. */
  turns?: number
  /** The agent's session, which a resume would continue. */
  sessionId?: string
  /** Anything else worth storing, as JSON: the result of a verification, who changed the verdict. */
  note?: unknown
}

/** The stored record of one try of the work. */
export interface Attempt extends NewAttempt {
  /** Id of the operation. */
  operation: string
  /** Counts from 1 within the operation, across all its runs. */
  number: number
  /** Number of the run it belongs to. */
  run: number
}

/** Maximum number of tries of an operation. Limits on retries, snoozes and waits end it long before. */
export const MOST_ATTEMPTS = 65_535
