import type { Failure } from '../../failure/failure.ts'
import type { TokenUsage } from '../../failure/stream/usage.ts'
import type { Verdict } from '../../verdict/verdict.ts'

/** The record of one try of the work. */
export interface Attempt {
  /** Counted from 1. */
  number: number
  provider?: string
  /** Epoch milliseconds. */
  startedAt: number
  durationMs: number
  /** What it cost, as reported by `charge`, else by its usage and `prices`; null if unknown. */
  costUsd: number | null
  /** Of question and answer together; null if unknown. */
  tokens: number | null
  /** What the answer says that it used; absent if it does not. */
  usage?: TokenUsage
  /** The model that answered, or was asked; absent if unknown. */
  model?: string
  /** Absent for the try that succeeded. */
  failure?: Failure
  verdict?: Verdict
}
