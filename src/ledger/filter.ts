import type { FailureClass, FailureKind } from '../failure/failure.ts'
import { isSurface } from '../provider/provider-name.ts'
import type { CancelReason, ParkReason } from '../verdict/verdict.ts'
import type { OperationState } from './operation.ts'

/** Selects operations. All conditions must match; a list matches any of its items. */
export interface OperationFilter {
  /** Any of these. Default all. */
  ids?: readonly string[]
  /** In this state, or in any of these. Default all. */
  state?: OperationState | readonly OperationState[]
  /** Of this capability, or of any of these. Default all. */
  capability?: string | readonly string[]
  /** A job of this other engine, such as `bullmq`. */
  engine?: string
  /** One of its providers has this name. */
  provider?: string
  /** Its last failure is of this class. */
  class?: FailureClass
  /** Its last failure is of this kind. */
  kind?: FailureKind
  /** Its last failure has this fingerprint. */
  fingerprint?: string
  /** Parked for this reason. */
  parkedFor?: ParkReason
  /** Dead for this reason. */
  deadAs?: CancelReason
  /** The session that submitted it. */
  session?: string
  /** The agent's session that it ran in. */
  agentSession?: string
  /** Created at this time or later, epoch milliseconds. */
  createdFrom?: number
  /** Created before this time, epoch milliseconds. */
  createdBefore?: number
  /** Words that must all occur in the text of one of its failures; the last may be the beginning of a word. */
  text?: string
  /** Held by this provider. */
  heldBy?: string
  /** Deliveries of notices alone, or all but them. Default both. */
  deliveries?: 'only' | 'without'
}

/** The user's operations that match: deliveries of notices are none, unless the filter names them. */
export function withoutDeliveries(filter: OperationFilter): OperationFilter {
  const { ids, capability, provider, heldBy } = filter
  const isNamed = ids !== undefined || capability !== undefined || isSurface(provider) || isSurface(heldBy)
  return isNamed ? filter : { ...filter, deliveries: 'without' }
}

/** What operations can be sorted by, besides how new they are. */
export const SORT_KEYS = ['capability', 'tries', 'cost', 'changed'] as const
/** What operations can be sorted by. */
export type SortKey = (typeof SORT_KEYS)[number]

/** How many of the newest matches are sorted; sorting all would cost as much as there are. */
export const MOST_SORTED = 10_000

/** Which page of the matching operations, newest first. */
export interface PageRequest {
  /** Maximum number of items; fewer if together they exceed 2 MiB. Default 50, at most 1000. */
  limit?: number
  /** `next` of the previous page. Default: start with the newest. */
  cursor?: string
}

/** Which operations of a list, and in which order. */
export interface ListRequest extends PageRequest {
  /**
   * Sort the newest {@link MOST_SORTED} matches by this, largest first. They are one page, so a cursor is ignored. Default:
   * newest first.
   */
  sort?: SortKey
  /** Smallest first. Default false. */
  ascending?: boolean
}

/** One page of the matches. */
export interface Page<T> {
  /** Newest first. */
  items: readonly T[]
  /** Cursor of the next page; absent on the last one. */
  next?: string
}

/** How many operations match, by state; parked ones also by what they wait for, dead ones by why they died. */
export interface Counts {
  /** All matches. */
  total: number
  /** By state; 0 if there are none. */
  states: Record<OperationState, number>
  /** Parked ones by what they wait for. */
  parkedFor: Partial<Record<ParkReason, number>>
  /** Dead ones by why they died. */
  deadAs: Partial<Record<CancelReason, number>>
  /** Scheduled ones that are held. */
  held: number
  /** Scheduled ones that could run now: due, and not held. */
  due: number
  /**
   * True if this is an estimate, because counting would have taken too long. If the filter has only state and
   * capability, only `deadAs` is estimated.
   */
  about?: true
}

/** How to count operations. */
export interface CountOptions {
  /**
   * After about this long an estimate will do, in milliseconds; a ledger may still count exactly. Default: always
   * exact.
   */
  patienceMs?: number
}
