import type { Failure } from '../failure/failure.ts'
import { isLifted, withEffectOfTry } from '../verdict/second-try.ts'
import type { Resume } from './context.ts'
import type { CallOptions } from './options.ts'

/** Whether the caller says that running the work twice does no harm; undefined if it says nothing. */
export function repeatableOf({
  retry,
  repeatable,
}: Pick<CallOptions, 'retry' | 'repeatable'>): boolean | undefined {
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
  options: Pick<CallOptions, 'retry' | 'repeatable' | 'atomic'>,
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
