import type { FailureClass, FailureKind } from '../failure/failure.ts'
import type { CancelReason, ParkReason } from '../verdict/index.ts'
import type { OperationState } from './operation.ts'

/** Which operations. All conditions have to hold; lists mean any of them. */
export interface OperationFilter {
  ids?: readonly string[]
  state?: OperationState | readonly OperationState[]
  capability?: string | readonly string[]
  /** One of its providers has this name. */
  provider?: string
  /** Class and kind of its last failure. */
  class?: FailureClass
  kind?: FailureKind
  fingerprint?: string
  parkedFor?: ParkReason
  /** The session that asked for it. */
  session?: string
  /** The agent's session that it ran in. */
  agentSession?: string
  /** Created at this time or later, epoch milliseconds. */
  createdFrom?: number
  /** Created before this time, epoch milliseconds. */
  createdBefore?: number
  /** Words that all occur in the text of one of its failures; the last may be the beginning of a word. */
  text?: string
  /** Held by this provider. */
  heldBy?: string
}

/** Which part of the matching operations, newest first. */
export interface PageRequest {
  /** At most this many. Default 50, at most 1000. */
  limit?: number
  /** `next` of the page before. Default from the newest. */
  cursor?: string
}

export interface Page<T> {
  items: readonly T[]
  /** Where the next page begins; missing on the last one. */
  next?: string
}

/** How many operations match, by state; parked ones also by what they wait for, dead ones by what they died of. */
export interface Counts {
  total: number
  states: Record<OperationState, number>
  parkedFor: Partial<Record<ParkReason, number>>
  deadAs: Partial<Record<CancelReason, number>>
  /** Scheduled ones that are held. */
  held: number
  /** Scheduled ones that could run now: due, and not held. */
  due: number
}
