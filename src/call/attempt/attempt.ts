import type { Failure } from '../../failure/failure.ts'
import type { Verdict } from '../../verdict/verdict.ts'

/** The record of one try of the work. */
export interface Attempt {
  /** Counted from 1. */
  number: number
  provider?: string
  /** Epoch milliseconds. */
  startedAt: number
  durationMs: number
  /** What it cost, as reported by `charge`; null if unknown. */
  costUsd: number | null
  tokens: number | null
  /** Absent for the try that succeeded. */
  failure?: Failure
  verdict?: Verdict
}
