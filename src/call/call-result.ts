import type { Attempt } from './attempt/attempt.ts'

/** What a call that succeeded gives. */
export interface CallResult<T> {
  value: T
  /** Every try, the one that succeeded last. */
  attempts: readonly Attempt[]
  provider?: string
  /** What all tries cost together; null if unknown. */
  costUsd: number | null
}
