import type { Failure } from '../../failure/failure.ts'
import type { Verdict } from '../../verdict/verdict.ts'

/** One try of the work, as it is remembered. */
export interface Attempt {
  /** Counted from 1. */
  number: number
  provider?: string
  /** Epoch milliseconds. */
  startedAt: number
  durationMs: number
  /** What it cost, as told by `charge`; null if unknown. */
  costUsd: number | null
  tokens: number | null
  /** Absent for the try that succeeded. */
  failure?: Failure
  verdict?: Verdict
}
