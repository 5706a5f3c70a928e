import type { Failure } from '../failure/failure.ts'
import { isLifted, refusesRepeat, withEffectOfTry } from '../verdict/second-try.ts'
import type { Verdict } from '../verdict/verdict.ts'
import type { CallOptions } from './options.ts'
import type { Resume, Try } from './try.ts'

/** A failure with the effect of everything that was done, not only of the request that failed. */
export interface WholeFailure {
  failure: Failure
  /** True if the last request was refused, but earlier steps of the work may have taken effect. */
  isLifted: boolean
}

/**
 * @param isCommitted true if this try or an earlier one delivered output
 * @param resumed the session that the try continued
 */
export function withEffectOfCall(
  read: Failure,
  { isBegun, isCommitted: isCommittedNow }: Pick<Try<unknown>, 'isBegun' | 'isCommitted'>,
  { repeatable = true, atomic = false }: CallOptions,
  isCommitted: boolean,
  resumed: Resume | undefined,
): WholeFailure {
  const whole = withEffectOfTry(read, { isBegun, repeatable, isOneRequest: atomic && !isCommittedNow })
  // A try that did nothing undoes nothing: neither delivered output, nor the session it was to continue.
  const isOpen = resumed !== undefined && resumed.failure.effect !== 'none'
  if (whole.effect !== 'none' || (!isCommitted && !isOpen))
    return { failure: whole, isLifted: isLifted(read, whole) }
  const session = resumed && whole.sessionId === undefined ? { sessionId: resumed.sessionId } : {}
  return { failure: { ...whole, effect: 'maybe', ...session }, isLifted: isLifted(read, whole) }
}

/** A second try that was refused because the work may have taken effect. */
export interface RefusedRepeat {
  /** Why, without the remedies. */
  why: string
  /** The call options that would have allowed it. */
  remedies: readonly Remedy[]
}

/** A call option that would have allowed a second try. */
export type Remedy = 'atomic' | 'repeatable'

/**
 * The second try that a verdict refuses because the work may have taken effect; undefined for any other verdict.
 * @param mayBeAtomic true if the last request was refused, and the caller did not say whether it is the only one
 */
export function refusedRepeat(verdict: Verdict, mayBeAtomic: boolean): RefusedRepeat | undefined {
  if (!refusesRepeat(verdict)) return undefined
  return { why: verdict.reason, remedies: mayBeAtomic ? ['atomic', 'repeatable'] : ['repeatable'] }
}
