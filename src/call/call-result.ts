import type { Attempt } from './attempt/attempt.ts'

/** The result of a call that succeeded. */
export interface CallResult<T, P extends string = string> {
  value: T
  /** Every try; the last one succeeded. */
  attempts: readonly Attempt[]
  /** The provider that served it; absent without a provider or pool. */
  provider?: P
  /** What all tries cost together; null if unknown. */
  costUsd: number | null
}
