import type { Failure } from '../failure/failure.ts'
import type { EndingVerdict, Settled } from './settlement.ts'

/** Why a parked operation is judged again: a `label` was given or withdrawn, or the `config` changed. */
export type RejudgeOrigin = 'label' | 'config'

/** A new verdict on a parked operation, without a run. */
export interface Rejudgement {
  /** What it has to be parked on still; else nothing changes. */
  parkedOn: {
    /** The fingerprint of its last failure. */
    fingerprint: string
    /** Id of the `parked` event. Default whichever it was. */
    event?: number
  }
  /**
   * What to do now. It counts as it would have at the end of the run: a retry as a retry, a snooze as a snooze. The time
   * it was parked counts as none of them.
   */
  verdict: EndingVerdict
  /** Its last failure as it is classified now; stands with the attempt from now on. Default as it was. */
  failure?: Failure
  /** What made it be judged again. Stored with the event. */
  by: RejudgeOrigin
}

/** What a new verdict did; undefined if the operation is not parked on that any more. */
export type Rejudged = Extract<Settled, { settled: true }> | undefined
