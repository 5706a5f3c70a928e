import type { Failure } from '../failure/failure.ts'
import type { CouncilClass } from '../verdict/presets/council.ts'
import type { CallFailed } from './call-failed.ts'
import type { SdkError } from './sdk-error.ts'

/** A member that answered. */
export interface MemberSuccess<T> {
  member: string
  value: T
  /** How many tries it took. */
  attempts: number
  costUsd: number | null
}

/** A member that failed, and why. */
export interface MemberFailure {
  member: string
  /** The council's class of the failure. */
  class: CouncilClass
  failure: Failure
  /** One line for people. */
  reason: string
  attempts: number
  costUsd: number | null
  /** Carries the member client's own error object, by identity. */
  error: SdkError
}

/** A member that was cancelled: the quorum was reached without it, the cap passed, or the caller aborted. */
export interface MemberAborted {
  member: string
  attempts: number
}

/** Who took part, and what they said. */
export interface CouncilAnswers<T> {
  /** In the order of the members, like the other lists. */
  successes: readonly MemberSuccess<T>[]
  failures: readonly MemberFailure[]
  aborted: readonly MemberAborted[]
  /** Who answered, who failed and why, and every answer: a prompt for an aggregator. */
  summary: string
  /** What all members cost together; null if unknown. */
  costUsd: number | null
}

/** How the aggregator ended. If it fails, the answers that were paid for are still returned. */
export type Aggregation<A> =
  | { ok: true; value: A; attempts: number; costUsd: number | null }
  | { ok: false; failure: Failure; error: CallFailed }

/** What a council returns when enough members answered. */
export interface CouncilResult<T, A = never> extends CouncilAnswers<T> {
  /** Present if there is an aggregator. */
  aggregation?: Aggregation<A>
}

/** Why a council failed. */
export type CouncilEnd = 'too_few' | 'hard_cap' | 'aborted'

/** The one error that `council` rejects with. Contains what the members said until then. */
export class CouncilFailed<T = unknown> extends Error {
  override name = 'CouncilFailed'
  readonly code = 'COUNCIL_FAILED'
  readonly because: CouncilEnd
  readonly answers: CouncilAnswers<T>

  constructor(because: CouncilEnd, message: string, answers: CouncilAnswers<T>, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.because = because
    this.answers = answers
  }
}
