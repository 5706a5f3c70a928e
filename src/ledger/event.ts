/** The types of events in a ledger. Each is a change worth knowing about. */
export const EVENT_TYPES = [
  'submitted',
  'claimed',
  'taken_over',
  'attempted',
  'recorded',
  'retrying',
  'snoozed',
  'parked',
  'succeeded',
  'dead',
  'handed_back',
  'held',
  'freed',
  'cancel_requested',
  'edited',
  'revived',
  'unparked',
  'discarded',
  'pruned',
  'paused',
  'resumed',
  'provider_blocked',
  'provider_freed',
  'provider_served',
  'time_skipped',
  'stray_error',
  'unknown_seen',
  'labelled',
  'label_withdrawn',
  'workflow_started',
  'workflow_asked',
  'workflow_changed',
  'workflow_ended',
  'workflow_idle',
  'changed',
] as const
/** The type of an event. */
export type EventType = (typeof EVENT_TYPES)[number]

/** Something that happened. Ids increase in the order of events, across all processes. */
export interface LedgerEvent {
  /** Increases in the order of writing; gaps mean nothing. */
  id: number
  /** Epoch milliseconds. */
  at: number
  /** What happened. */
  type: EventType
  /** The operation it happened to; absent for the queue, a capability, a provider or a workflow run as a whole. */
  operation?: string
  /** Number of the run it happened in. */
  run?: number
  /** Details: the attempt, the verdict's rule and reason, when it is due again … */
  data?: Record<string, unknown>
}

/** What else a timeline shows. */
export interface TimelineOptions {
  /** Also when its providers were blocked, paused and free again while it waited. Default false. */
  providers?: boolean
}

/** Which events to read, oldest first. */
export interface EventQuery {
  /** Only events after this one. Default 0: from the beginning. */
  after?: number
  /** At most this many. Default 500. */
  limit?: number
  /** Only these types. Default all. */
  types?: readonly EventType[]
}
