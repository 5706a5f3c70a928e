import { withinCauses } from '../failure/carried.ts'
import type { Failure } from '../failure/failure.ts'
import {
  isOwnError,
  MEANING,
  type MeaningfulError,
  meaningOf,
  type OwnMeaning,
} from '../failure/own-error.ts'
import type { Verdict } from '../verdict/verdict.ts'
import type { Attempt } from './attempt/attempt.ts'
import type { RefusedRepeat } from './second-try.ts'

/** The one error that `call` rejects with: the failure, the policy's verdict on it, and every try. */
export class CallFailed extends Error implements MeaningfulError {
  override name = 'CallFailed'
  readonly code = 'CALL_FAILED'
  /** The failure that ended the call. */
  readonly failure: Failure
  /** What to do about it beyond what a call can do. */
  readonly verdict: Verdict
  /** Every try, in order; empty if no provider admitted one. */
  readonly attempts: readonly Attempt[]
  /** What all tries cost together; null if unknown. */
  readonly costUsd: number | null
  /** Set if a second try was refused because the work may have taken effect; says what would have allowed it. */
  declare refusedRepeat?: RefusedRepeat

  /** @param cause what the work threw or returned, unchanged */
  constructor(
    details: { failure: Failure; verdict: Verdict; attempts: readonly Attempt[]; costUsd: number | null },
    cause: unknown,
  ) {
    super(
      `${details.failure.message} (${details.failure.class}/${details.failure.kind}; ${details.verdict.reason})`,
      { cause },
    )
    this.failure = details.failure
    this.verdict = details.verdict
    this.attempts = details.attempts
    this.costUsd = details.costUsd
  }

  get [MEANING](): OwnMeaning {
    return meaningOf(this.failure)
  }
}

/** True for a {@link CallFailed}, including one from another copy of this package. */
export function isCallFailed(error: unknown): error is CallFailed {
  return isOwnError(error) && (error as { code?: unknown }).code === 'CALL_FAILED' && 'verdict' in error
}

/** The {@link CallFailed} that was thrown, or that caused what was thrown; undefined without one. */
export function callFailedWithin(error: unknown): CallFailed | undefined {
  return withinCauses(error, isCallFailed)
}

/** When a provider of a failed call's pool will be available again, epoch milliseconds; undefined if it does not say. */
export function availableAfter(error: unknown): number | undefined {
  const verdict = callFailedWithin(error)?.verdict
  return verdict?.action === 'snooze' ? verdict.until : undefined
}
