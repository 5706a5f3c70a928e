import type { Remedy } from '../verdict/second-try.ts'
import { refusesRepeat } from '../verdict/second-try.ts'
import type { Verdict } from '../verdict/verdict.ts'

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
