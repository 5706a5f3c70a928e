import type { Failure } from '../failure/failure.ts'
import { isLifted, type Remedy, refusesRepeat, withEffectOfTry } from '../verdict/second-try.ts'
import type { Verdict } from '../verdict/verdict.ts'
import type { Resume } from './context.ts'

/** What the caller says about a second try; see `CallOptions`. */
interface Repeating {
  retry?: 'none' | 'replay' | undefined
  repeatable?: boolean | undefined
  atomic?: boolean | undefined
}

/** Whether the caller says that running the work twice does no harm; undefined if it says nothing. */
export function repeatableOf({ retry, repeatable }: Repeating): boolean | undefined {
  return retry === undefined ? repeatable : retry === 'replay'
}

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
  { isBegun, isCommitted: isCommittedNow }: { isBegun: boolean; isCommitted: boolean },
  options: Repeating,
  isCommitted: boolean,
  resumed: Resume | undefined,
): WholeFailure {
  const whole = withEffectOfTry(read, {
    isBegun,
    repeatable: repeatableOf(options) ?? true,
    isOneRequest: options.atomic === true && !isCommittedNow,
  })
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

/**
 * The second try that a verdict refuses because the work may have taken effect; undefined for any other verdict.
 * @param mayBeAtomic true if the last request was refused, and the caller did not say whether it is the only one
 */
export function refusedRepeat(verdict: Verdict, mayBeAtomic: boolean): RefusedRepeat | undefined {
  if (!refusesRepeat(verdict)) return undefined
  return { why: verdict.reason, remedies: mayBeAtomic ? ['atomic', 'replay'] : ['replay'] }
}
