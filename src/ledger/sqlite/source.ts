import type { SQLInputValue } from 'node:sqlite'
import type { ParkReason } from '../../verdict/verdict.ts'
import type { OperationState } from '../operation.ts'

/** Operations that an index returns, with all conditions on them. */
export interface Source {
  from: string
  /** The operation number, under the name by which the index orders it. */
  id: string
  where: readonly string[]
  values: readonly SQLInputValue[]
  /** What all of them have in common, so that they can be counted without reading their rows. */
  shared?: { state: OperationState; parkedFor?: ParkReason; isHeld?: boolean }
  /** False if the index has another order, and may have very many entries. Default true. */
  isOrderedById?: boolean
}
