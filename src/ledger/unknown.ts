import type { Failure } from '../failure/failure.ts'
import type { Page, PageRequest } from './filter.ts'
import type { MaybePromise } from './ledger.ts'

/**
 * What became of the call or run whose failure nobody knows: an operation was `parked` for a label; a `failover` went to
 * another provider; or the call `ended` with it.
 */
export type UnknownOutcome = 'parked' | 'failover' | 'ended'

/** A failure that nobody knows, seen once. */
export interface UnknownSighting {
  /** The failure; kept as a sample, redacted, with at most 8 KB of its text. */
  failure: Failure
  /** When it failed, epoch milliseconds. */
  at: number
  /** What became of the call or run. */
  outcome: UnknownOutcome
  /** Who failed. Default the failure's provider. */
  provider?: string
  /** The model, where that is known. Default the failure's model. */
  model?: string
  /** The operation whose try it was; none for a call without one. */
  operation?: string
}

/** One example of an unknown. */
export interface UnknownSample {
  /** When it failed, epoch milliseconds. */
  at: number
  /** As it was classified then, redacted. */
  failure: Failure
  /** The operation whose try it was. */
  operation?: string
}

/** A failure that nobody has classified, kept once per fingerprint and provider. */
export interface Unknown {
  /** Groups the same failure across time. */
  fingerprint: string
  /** Who failed; absent where that is not known. */
  provider?: string
  /** How often it was seen. */
  count: number
  /** How often which outcome followed. */
  outcomes: Readonly<Record<UnknownOutcome, number>>
  /** Epoch milliseconds. */
  firstSeenAt: number
  /** Epoch milliseconds. */
  lastSeenAt: number
  /** The models that it was seen with, the last one first; at most {@link MOST_MODELS}. */
  models: readonly string[]
  /** The first one, and the two seen last whose text is different; at most {@link MOST_SAMPLES}. */
  samples: readonly UnknownSample[]
  /** When people were told, epoch milliseconds; absent while they were not. */
  escalatedAt?: number
}

/** Models that an unknown keeps. */
export const MOST_MODELS = 10
/** Samples that an unknown keeps. */
export const MOST_SAMPLES = 3
/** Characters of text that a sample keeps. */
export const LONGEST_SAMPLE = 8_192

/** Which unknowns. All conditions have to hold. */
export interface UnknownFilter {
  /** With this fingerprint. */
  fingerprint?: string
  /** Of this provider. */
  provider?: string
  /** Seen at this time or later, epoch milliseconds. */
  seenFrom?: number
  /** Only those of which people were told, or only those of which they were not. Default both. */
  escalated?: boolean
  /** Only those that a label in force covers, or only those that none does. Default both. */
  labelled?: boolean
}

/** Writes about unknowns, as part of a transaction. */
export interface UnknownWrites {
  /**
   * Counts a failure that nobody knows, and keeps it as a sample; `unknown_seen` tells of it. Not idempotent: to be called
   * in the transaction that moves the cursor past the event it came from.
   */
  recordUnknown(sighting: UnknownSighting): MaybePromise<{
    /** False if this fingerprint was seen before from this provider. */
    created: boolean
    /** How often it was seen from this provider, this time included. */
    count: number
    /** When people were told of this fingerprint, epoch milliseconds. */
    escalatedAt?: number
  }>
  /** People are told of a fingerprint: true the first time, and never again, whichever provider it comes from. */
  markEscalated(fingerprint: string): MaybePromise<boolean>
}

/** Reads of unknowns. Operations that wait on one: `list({ fingerprint, parkedFor: 'label' })`. */
export interface UnknownReads {
  /** Unknowns, that first seen last first, a page at a time. */
  unknowns(filter?: UnknownFilter, page?: PageRequest): Promise<Page<Unknown>>
  /** What is known of a fingerprint: one for each provider that it came from, the oldest first. */
  unknown(fingerprint: string): Promise<readonly Unknown[]>
}
