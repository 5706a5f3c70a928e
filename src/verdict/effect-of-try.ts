import type { Failure } from '../failure/failure.ts'
import type { Verdict } from './verdict.ts'

/** What is known about a try, besides the failure that it ended with. */
export interface TryFacts {
  /** False if the work never began: then nothing was done, whatever the failure says. */
  isBegun: boolean
  /** Running the work twice does no harm, so what it did before its last request does not matter. */
  repeatable: boolean
  /** The failure covers the whole try: it was one request, or its driver saw everything that it did. */
  isOneRequest: boolean
}

/**
 * The failure with the effect of the whole try. The classifier sees only what failed last: a refused request has done
 * nothing, but the work before it may have. So `none` stands only if the try provably did nothing.
 */
export function withEffectOfTry(failure: Failure, { isBegun, repeatable, isOneRequest }: TryFacts): Failure {
  if (!isBegun) return failure.effect === 'none' ? failure : { ...failure, effect: 'none' }
  if (failure.effect !== 'none' || repeatable || isOneRequest) return failure
  return { ...failure, effect: 'maybe' }
}

/** Adds to a refusal to run work twice what would allow it. Any other verdict stays as it is. */
export function withRemedy(verdict: Verdict, remedy: string): Verdict {
  return verdict.action === 'cancel' && verdict.as === 'unverifiable'
    ? { ...verdict, reason: `${verdict.reason} (${remedy})` }
    : verdict
}
