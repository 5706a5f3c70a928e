import type { Failure } from '../failure/failure.ts'
import type { Circumstances } from './circumstances.ts'
import type { Mode } from './verdict.ts'

// What every further try must satisfy, whether the table, a preset or a user's policy asks for it.

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

/** Whether a further try resumes the failed session or starts over. */
export function retryMode(failure: Failure, { resumable }: Pick<Circumstances, 'resumable'>): Mode {
  return failure.effect === 'maybe' && resumable && failure.sessionId !== undefined ? 'resume' : 'again'
}
