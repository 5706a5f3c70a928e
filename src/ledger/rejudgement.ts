import type { Failure } from '../failure/failure.ts'
import type { EndingVerdict, Settled } from './settlement.ts'

/** Why a parked operation is judged again: a `label` was added or withdrawn, or the `config` changed. */
export type RejudgeOrigin = 'label' | 'config'

/** A new verdict on a parked operation, without a run. */
export interface Rejudgement {
  /** What it must still be parked on; otherwise nothing changes. */
  parkedOn: {
    /** The fingerprint of its last failure. */
    fingerprint: string
    /** Id of the `parked` event. Default any. */
    event?: number
  }
  /**
   * What to do now. It counts like a verdict at the end of the run: a retry as a retry, a snooze as a snooze. The time
   * it was parked counts as neither.
   */
  verdict: EndingVerdict
  /** Its last failure, as classified now; replaces the one stored with the attempt. Default unchanged. */
  failure?: Failure
  /** Why it is judged again. Stored with the event. */
  by: RejudgeOrigin
}

/** The result of a new verdict; undefined if the operation is no longer parked on this. */
export type Rejudged = Extract<Settled, { settled: true }> | undefined
