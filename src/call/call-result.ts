import type { Finish } from '../failure/stream/finish.ts'
import type { Attempt } from './attempt/attempt.ts'

/** The result of a call that succeeded. */
export interface CallResult<T, P extends string = string> {
  value: T
  /** Every try; the last one succeeded. */
  attempts: readonly Attempt[]
  /** The provider that served it; absent without a provider or pool. */
  provider?: P
  /**
   * Set if the answer of a model is complete but cut at its token limit, or filtered. Of a stream it is known at its end. Absent
   * for any other answer.
   */
  finish?: Finish
  /** What all tries cost together; null if unknown. */
  costUsd: number | null
}
