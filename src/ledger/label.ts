import type { FailureLabel } from '../failure/label.ts'
import type { MaybePromise } from './writing.ts'

/** A person's label for an unknown. */
export interface NewLabel extends FailureLabel {
  /** The unknown it labels. */
  fingerprint: string
  /** The provider it applies to. Default: all providers. */
  provider?: string
  /** The pattern that recognises the next failure of this kind. Default none: only the fingerprint matches. */
  signature?: string
  /** The author. */
  who: string
  /** The reason, for people. Default none. */
  why?: string
}

/** A stored label of an unknown, and how long it was in force. */
export interface Label extends NewLabel {
  /** `label_` and a number. */
  id: string
  /** When it was added, epoch milliseconds. */
  at: number
  /** When it was withdrawn, epoch milliseconds; absent while it is in force. */
  withdrawnAt?: number
  /** Who withdrew it. */
  withdrawnBy?: string
  /** The label that replaced it, if any. */
  replacedBy?: string
}

/** Selects labels. All conditions must match. */
export interface LabelFilter {
  /** With this fingerprint. */
  fingerprint?: string
  /** Withdrawn labels, labels in force, or both. Default: labels in force. */
  withdrawn?: boolean | 'both'
}

/** Writes about labels, as part of a transaction. */
export interface LabelWrites {
  /**
   * Adds a label, and writes a `labelled` event. A label in force for the same fingerprint and provider is replaced:
   * withdrawn by the same person, at the same time.
   */
  addLabel(label: NewLabel): MaybePromise<{ id: string; replaced?: string }>
  /** Withdraws a label, and writes a `label_withdrawn` event. False if it is not in force. */
  withdrawLabel(id: string, who: string): MaybePromise<boolean>
}

/** Reads of labels. */
export interface LabelReads {
  /** Labels in force, or withdrawn ones, oldest first. */
  labels(filter?: LabelFilter): Promise<readonly Label[]>
}
