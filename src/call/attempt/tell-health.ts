import type { Failure } from '../../failure/failure.ts'
import type { Cost, Permit } from '../../provider/gate.ts'
import type { Judge } from './judge.ts'

/** Tells a provider's health what the provider did; what we or the caller did is not its fault. */
export function tellHealth(permit: Permit, failure: Failure, judge: Judge, cost?: Cost): void {
  if (failure.class === 'aborted' || failure.class === 'rail') permit.released(cost)
  else permit.failed(failure, judge.health(failure, permit.standing?.(failure)), cost)
}
