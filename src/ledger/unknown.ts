import type { Failure } from '../failure/failure.ts'
import type { Page, PageRequest } from './filter.ts'
import type { MaybePromise } from './writing.ts'

/**
 * What happened after an unknown failure: an operation was `parked` for a label; a `failover` went to another provider;
 * or the call `ended`.
 */
export type UnknownOutcome = 'parked' | 'failover' | 'ended'

/** One occurrence of an unknown failure. */
export interface UnknownSighting {
  /** The failure; stored as a sample, redacted, with at most 8 KB of its text. */
  failure: Failure
  /** When it failed, epoch milliseconds. */
  at: number
  /** What happened to the call or run. */
  outcome: UnknownOutcome
  /** The provider that failed. Default: the failure's provider. */
  provider?: string
  /** The model, if known. Default: the failure's model. */
  model?: string
  /** The operation whose try failed; absent for a plain call. */
  operation?: string
}

/** One example of an unknown. */
export interface UnknownSample {
  /** When it failed, epoch milliseconds. */
  at: number
  /** As classified at that time, redacted. */
  failure: Failure
  /** The operation whose try failed. */
  operation?: string
}

/** A failure that no rule or label matches, stored once per fingerprint and provider. */
export interface Unknown {
  /** Groups the same failure across time. */
  fingerprint: string
  /** The provider that failed; absent if unknown. */
  provider?: string
  /** How often it was seen. */
  count: number
  /** How often each outcome followed. */
  outcomes: Readonly<Record<UnknownOutcome, number>>
  /** Epoch milliseconds. */
  firstSeenAt: number
  /** Epoch milliseconds. */
  lastSeenAt: number
  /** The models it was seen with, most recent first; at most {@link MOST_MODELS}. */
  models: readonly string[]
  /** The first one, and the two most recent ones with different texts; at most {@link MOST_SAMPLES}. */
  samples: readonly UnknownSample[]
  /** When people were asked to label it, epoch milliseconds; absent until then. */
  escalatedAt?: number
}

/** Models stored per unknown. */
export const MOST_MODELS = 10
/** Samples stored per unknown. */
export const MOST_SAMPLES = 3
/** Characters of text stored per sample. */
export const LONGEST_SAMPLE = 8_192

/** Selects unknowns. All conditions must match. */
export interface UnknownFilter {
  /** With this fingerprint. */
  fingerprint?: string
  /** Of this provider. */
  provider?: string
  /** Seen at this time or later, epoch milliseconds. */
  seenFrom?: number
  /** Only those that people were asked to label, or only the others. Default both. */
  escalated?: boolean
  /** Only those covered by a label in force, or only the others. Default both. */
  labelled?: boolean
}

/** Writes about unknowns, as part of a transaction. */
export interface UnknownWrites {
  /**
   * Counts an unknown failure, keeps it as a sample, and writes an `unknown_seen` event. Not idempotent: call it in the
   * transaction that moves the cursor past the event it came from.
   */
  recordUnknown(sighting: UnknownSighting): MaybePromise<{
    /** False if this fingerprint was already seen from this provider. */
    created: boolean
    /** How often it was seen from this provider, including this time. */
    count: number
    /** When people were asked to label this fingerprint, epoch milliseconds. */
    escalatedAt?: number
  }>
  /** Marks a fingerprint as escalated. True the first time, never again, no matter which provider it comes from. */
  markEscalated(fingerprint: string): MaybePromise<boolean>
}

/** Reads of unknowns. To list operations that wait for one: `list({ fingerprint, parkedFor: 'label' })`. */
export interface UnknownReads {
  /** Unknown failures, most recently first seen first, one page at a time. */
  unknowns(filter?: UnknownFilter, page?: PageRequest): Promise<Page<Unknown>>
  /** The unknowns with this fingerprint: one per provider, oldest first. */
  unknown(fingerprint: string): Promise<readonly Unknown[]>
}
