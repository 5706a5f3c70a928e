import type { FailureClass, FailureKind } from '../failure/failure.ts'
import type { CancelReason, ParkReason } from '../verdict/verdict.ts'
import type { OperationState } from './operation.ts'

/** Which operations. All conditions have to hold; lists mean any of them. */
export interface OperationFilter {
  /** Any of these. Default all. */
  ids?: readonly string[]
  /** In this state, or in any of these. Default all. */
  state?: OperationState | readonly OperationState[]
  /** Of this capability, or of any of these. Default all. */
  capability?: string | readonly string[]
  /** One of its providers has this name. */
  provider?: string
  /** Its last failure is of this class. */
  class?: FailureClass
  /** Its last failure is of this kind. */
  kind?: FailureKind
  /** Its last failure has this fingerprint. */
  fingerprint?: string
  /** Parked, and waiting for this. */
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
  /** At most this many; fewer where they hold more than 8 MiB together. Default 50, at most 1000. */
  limit?: number
  /** `next` of the page before. Default from the newest. */
  cursor?: string
}

/** One part of what matches. */
export interface Page<T> {
  /** Newest first. */
  items: readonly T[]
  /** Where the next page begins; missing on the last one. */
  next?: string
}

/** How many operations match, by state; parked ones also by what they wait for, dead ones by what they died of. */
export interface Counts {
  /** All that match. */
  total: number
  /** By state; 0 where there is none. */
  states: Record<OperationState, number>
  /** Parked ones by what they wait for. */
  parkedFor: Partial<Record<ParkReason, number>>
  /** Dead ones by what they died of. */
  deadAs: Partial<Record<CancelReason, number>>
  /** Scheduled ones that are held. */
  held: number
  /** Scheduled ones that could run now: due, and not held. */
  due: number
  /**
   * True where this is an estimate, because counting would have taken too long; without conditions but state and capability,
   * only `deadAs` is.
   */
  about?: true
}

/** How operations are counted. */
export interface CountOptions {
  /** After about this long an estimate will do, in milliseconds; a ledger may count all the same. Default: always exact. */
  patienceMs?: number
}
