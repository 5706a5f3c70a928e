import type { SQLInputValue } from 'node:sqlite'
import type { ParkReason } from '../../verdict/verdict.ts'
import type { OperationState } from '../operation.ts'

/** A part of the operations that an index gives, with all conditions on them. */
export interface Source {
  from: string
  /** The number of the operation, under the name by which the index has it in order. */
  id: string
  where: readonly string[]
  values: readonly SQLInputValue[]
  /** What all of them have in common, so that counting them needs no look at their rows. */
  shared?: { state: OperationState; parkedFor?: ParkReason; isHeld?: boolean }
  /** False where the index has them in another order, and may have very many. Default true. */
  isOrderedById?: boolean
}
