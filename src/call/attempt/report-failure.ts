import type { Failure } from '../../failure/failure.ts'
import type { Cost, Permit } from '../../provider/gate.ts'
import type { Judge } from './judge.ts'

/**
 * Returns the permit of a failed try, with what the failure means for its provider. An abort, or a limit set on purpose, is not
 * the provider's fault.
 */
export function reportFailure(permit: Permit, failure: Failure, judge: Judge, cost?: Cost): void {
  if (failure.class === 'aborted' || failure.class === 'rail') permit.released(cost)
  else permit.failed(failure, judge.health(failure, permit.standing?.(failure)), cost)
}
