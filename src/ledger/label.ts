import type { FailureLabel } from '../failure/label.ts'
import type { MaybePromise } from './ledger.ts'

/** What a person says that an unknown is. */
export interface NewLabel extends FailureLabel {
  /** The unknown that it names. */
  fingerprint: string
  /** The provider that it holds for. Default all of them. */
  provider?: string
  /** The pattern that recognises the next failure of its kind. Default none: only the fingerprint does. */
  signature?: string
  /** Who says so. */
  who: string
  /** Why, for people. Default nothing. */
  why?: string
}

/** What a person said that an unknown is, and for how long that held. */
export interface Label extends NewLabel {
  /** `label_` and a number. */
  id: string
  /** When it was given, epoch milliseconds. */
  at: number
  /** Since when it does not hold, epoch milliseconds; absent while it does. */
  withdrawnAt?: number
  /** Who took it back. */
  withdrawnBy?: string
  /** The label that took its place, if one did. */
  replacedBy?: string
}

/** Which labels. All conditions have to hold. */
export interface LabelFilter {
  /** Of this fingerprint. */
  fingerprint?: string
  /** Only those that were withdrawn, or only those in force. Default those in force. */
  withdrawn?: boolean | 'both'
}

/** Writes about labels, as part of a transaction. */
export interface LabelWrites {
  /**
   * Gives a label, which `labelled` tells. One that the same fingerprint and provider had is replaced: withdrawn by the
   * same person, in the same moment.
   */
  addLabel(label: NewLabel): MaybePromise<{ id: string; replaced?: string }>
  /** Takes a label back, which `label_withdrawn` tells. False if it is not in force. */
  withdrawLabel(id: string, who: string): MaybePromise<boolean>
}

/** Reads of labels. */
export interface LabelReads {
  /** Labels in force, or those that were withdrawn, the oldest first. */
  labels(filter?: LabelFilter): Promise<readonly Label[]>
}
