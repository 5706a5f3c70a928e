import type { Failure } from '../failure/failure.ts'
import type { Circumstances } from './circumstances.ts'
import type { Mode } from './verdict.ts'

// What holds for every further try, whether the table, a preset or a policy of the user asks for it.

/** Whether enough time is left, measured before the wait. */
export function hasTimeToTryAgain({ remainingMs, minRetryBudgetMs }: Circumstances): boolean {
  return remainingMs > minRetryBudgetMs
}

/** What may already have been done must not be done twice: resume it, verify it, or leave it. */
export function mayTryAgain(failure: Failure, circumstances: Circumstances): boolean {
  return mayStartOver(failure.effect, circumstances) || retryMode(failure, circumstances) === 'resume'
}

/** Whether the work may start over: nothing was done, twice does no harm, or it is verified first. */
export function mayStartOver(
  effect: Failure['effect'],
  { repeatable, verifiable }: Pick<Circumstances, 'repeatable' | 'verifiable'>,
): boolean {
  return effect === 'none' || repeatable || (effect === 'maybe' && verifiable)
}

/** Whether a further try resumes the session of the failed one, or starts over. */
export function retryMode(failure: Failure, { resumable }: Pick<Circumstances, 'resumable'>): Mode {
  return failure.effect === 'maybe' && resumable && failure.sessionId !== undefined ? 'resume' : 'again'
}
