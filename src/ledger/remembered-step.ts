import type { MaybePromise } from './ledger.ts'
import type { Fence } from './operation.ts'

/** Steps of one operation that are remembered, at most. */
export const MOST_REMEMBERED_STEPS = 10_000

/** A part of an operation's work that is done and is not done again, when the operation runs again. */
export interface RememberedStep {
  /** What the work calls it. */
  step: string
  /** JSON that it returned; undefined for nothing. */
  value: unknown
  /** Number of the run that did it. */
  run: number
  /** Epoch milliseconds. */
  at: number
}

/** Writes about parts of an operation's work, as part of a transaction. */
export interface RememberedStepWrites {
  /** Remembers what a part of a running operation's work returned; the first stays. False if the run is stale. */
  rememberStep(fence: Fence, step: string, value: unknown): MaybePromise<boolean>
}

/** Reads of parts of an operation's work. */
export interface RememberedStepReads {
  /** What is remembered of an operation, in the order in which it was done. It is forgotten with the operation. */
  rememberedSteps(operation: string): Promise<readonly RememberedStep[]>
}
