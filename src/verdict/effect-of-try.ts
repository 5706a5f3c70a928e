import type { Failure } from '../failure/failure.ts'
import type { Verdict } from './verdict.ts'

/** What is known about a try besides its failure. */
export interface TryFacts {
  /** False if the work never began: then the effect is `none`, no matter what the failure says. */
  isBegun: boolean
  /** True if running the work twice does no harm: then its effect before the last request does not matter. */
  repeatable: boolean
  /** True if the failure covers the whole try: it was one request, or its driver saw everything it did. */
  isOneRequest: boolean
}

/**
 * The failure with the effect of the whole try. The classifier sees only the last failure: a refused request did nothing,
 * but the work before it may have. So `none` stands only if the whole try provably did nothing.
 */
export function withEffectOfTry(failure: Failure, { isBegun, repeatable, isOneRequest }: TryFacts): Failure {
  if (!isBegun) return failure.effect === 'none' ? failure : { ...failure, effect: 'none' }
  if (failure.effect !== 'none' || repeatable || isOneRequest) return failure
  return { ...failure, effect: 'maybe' }
}

/** Adds to an `unverifiable` cancel what would allow a second try. Returns any other verdict unchanged. */
export function withRemedy(verdict: Verdict, remedy: string): Verdict {
  return verdict.action === 'cancel' && verdict.as === 'unverifiable'
    ? { ...verdict, reason: `${verdict.reason} (${remedy})` }
    : verdict
}
