import { withRemedy } from '../verdict/effect-of-try.ts'
import type { Verdict } from '../verdict/verdict.ts'

/** A call option that would have allowed a second try. */
export type Remedy = 'atomic' | 'repeatable'

/** A second try that was refused because the work may have taken effect. */
export interface RefusedRepeat {
  /** Why, without the remedies. */
  why: string
  remedies: readonly Remedy[]
}

const WORDS: Readonly<Record<Remedy, string>> = {
  atomic: 'one request? `atomic: true`',
  repeatable: 'harmless twice? `repeatable: true`',
}

/**
 * The second try that a verdict refuses because the work may have taken effect; undefined for any other verdict.
 * @param mayBeAtomic true if the last request was refused, and the caller did not say whether it is the only one
 */
export function refusedRepeat(verdict: Verdict, mayBeAtomic: boolean): RefusedRepeat | undefined {
  if (verdict.action !== 'cancel' || verdict.as !== 'unverifiable') return undefined
  return { why: verdict.reason, remedies: mayBeAtomic ? ['atomic', 'repeatable'] : ['repeatable'] }
}

/** Adds to the verdict's reason which option would have allowed a second try. */
export function withRemedies(verdict: Verdict, refused: RefusedRepeat | undefined): Verdict {
  if (!refused) return verdict
  return withRemedy(verdict, refused.remedies.map(remedy => WORDS[remedy]).join('; '))
}
