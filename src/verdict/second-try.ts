import type { Failure } from '../failure/failure.ts'
import type { Circumstances } from './circumstances.ts'
import type { Mode, Verdict } from './verdict.ts'

// What every second try must satisfy, whether the table, a preset or a user's policy asks for it.

/** Whether enough time is left, measured before the wait. */
export function hasTimeToTryAgain({ remainingMs, minRetryBudgetMs }: Circumstances): boolean {
  return remainingMs > minRetryBudgetMs
}

/** Whether a further try is safe: what may already be done must be resumed or verified, never simply repeated. */
export function mayTryAgain(failure: Failure, circumstances: Circumstances): boolean {
  return mayStartOver(failure.effect, circumstances) || retryMode(failure, circumstances) === 'resume'
}

/** Whether the work may start over: nothing was done, repeating does no harm, or it is verified first. */
export function mayStartOver(
  effect: Failure['effect'],
  { repeatable, verifiable }: Pick<Circumstances, 'repeatable' | 'verifiable'>,
): boolean {
  return effect === 'none' || repeatable || (effect === 'maybe' && verifiable)
}

/**
 * Whether a further try resumes the failed session or starts over. A session that shows a turn is resumed, whatever its
 * effect: that is a continuation, and what was said is not paid for again.
 */
export function retryMode(failure: Failure, { resumable }: Pick<Circumstances, 'resumable'>): Mode {
  const showsTurn = failure.effect === 'maybe' || failure.did !== undefined
  return showsTurn && resumable && failure.sessionId !== undefined ? 'resume' : 'again'
}

/** Whether only the failed session can continue the work, so no other provider can take over. */
export function livesInSession(failure: Failure, circumstances: Pick<Circumstances, 'resumable'>): boolean {
  return failure.effect !== 'none' && retryMode(failure, circumstances) === 'resume'
}

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

/** Whether the last request did nothing, but the try as a whole may have. */
export function isLifted(read: Failure, whole: Failure): boolean {
  return read.effect === 'none' && whole.effect !== 'none'
}

/** What the caller could have said to allow a second try, as the config writes it; in code the names are the same. */
const REMEDIES = {
  atomic: 'if it is one request, set atomic = true',
  replay: 'if running it twice is harmless, set retry = "replay"',
  verify_first: 'if it can be checked, set retry = "verify_first"',
} as const

/** What the caller could have said to allow a second try. */
export type Remedy = keyof typeof REMEDIES

/** Whether a verdict refuses a second try because the work may have taken effect. */
export function refusesRepeat(verdict: Verdict): boolean {
  return verdict.action === 'cancel' && verdict.as === 'unverifiable'
}

/** Adds to an `unverifiable` cancel what would allow a second try. Returns any other verdict unchanged. */
export function withRemedies(verdict: Verdict, remedies: readonly Remedy[]): Verdict {
  if (!refusesRepeat(verdict)) return verdict
  return { ...verdict, reason: `${verdict.reason} (${remedies.map(each => REMEDIES[each]).join('; ')})` }
}
