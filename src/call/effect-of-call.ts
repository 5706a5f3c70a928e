import type { Failure } from '../failure/failure.ts'
import { withEffectOfTry } from '../verdict/effect-of-try.ts'
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
  const isLifted = whole.effect !== read.effect
  // A try that did nothing undoes nothing: neither delivered output, nor the session it was to continue.
  if (whole.effect !== 'none' || (!isCommitted && !resumed)) return { failure: whole, isLifted }
  const session = resumed && whole.sessionId === undefined ? { sessionId: resumed.sessionId } : {}
  return { failure: { ...whole, effect: 'maybe', ...session }, isLifted }
}
