import type { Fence } from './operation.ts'
import type { MaybePromise } from './writing.ts'

/** Maximum number of remembered steps of one operation. */
export const MOST_REMEMBERED_STEPS = 10_000

/** A finished part of an operation's work that later runs do not repeat. */
export interface RememberedStep {
  /** The name that the work gave it. */
  step: string
  /** JSON that it returned; undefined if it returned nothing. */
  value: unknown
  /** Number of the run that did it. */
  run: number
  /** Epoch milliseconds. */
  at: number
}

/** Writes about remembered steps, as part of a transaction. */
export interface RememberedStepWrites {
  /** Stores the result of a part of a running operation's work; the first result wins. False if the run is stale. */
  rememberStep(fence: Fence, step: string, value: unknown): MaybePromise<boolean>
}

/** Reads of remembered steps. */
export interface RememberedStepReads {
  /** The remembered steps of an operation, in the order they were done. Deleted with the operation. */
  rememberedSteps(operation: string): Promise<readonly RememberedStep[]>
}
