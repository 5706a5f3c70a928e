import type { Attempt } from './attempt/attempt.ts'

/** The result of a call that succeeded. */
export interface CallResult<T, P extends string = string> {
  value: T
  /** Every try, the one that succeeded last. */
  attempts: readonly Attempt[]
  /** Who served it; absent without a provider or pool. */
  provider?: P
  /** What all tries cost together; null if unknown. */
  costUsd: number | null
}
