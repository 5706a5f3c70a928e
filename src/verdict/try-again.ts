import type { Failure } from '../failure/failure.ts'
import type { Circumstances } from './circumstances.ts'
import type { Mode } from './verdict.ts'

// What holds for every second try, whoever asks for it: a table, a preset, or a policy of the user.

/** Whether there is time for one, measured before the wait. */
export function hasTimeToTryAgain({ remainingMs, minRetryBudgetMs }: Circumstances): boolean {
  return remainingMs > minRetryBudgetMs
}

/** What may already have been done must not be done twice: resume it, verify it, or leave it. */
export function mayTryAgain(failure: Failure, circumstances: Circumstances): boolean {
  return mayStartOver(failure.effect, circumstances) || retryMode(failure, circumstances) === 'resume'
}

/** Whether the work may begin anew: nothing was done, twice does no harm, or it is asked first what was done. */
export function mayStartOver(
  effect: Failure['effect'],
  { repeatable, verifiable }: Pick<Circumstances, 'repeatable' | 'verifiable'>,
): boolean {
  return effect === 'none' || repeatable || (effect === 'maybe' && verifiable)
}

/** Whether a second try continues the session of the first, or begins anew. */
export function retryMode(failure: Failure, { resumable }: Pick<Circumstances, 'resumable'>): Mode {
  return failure.effect === 'maybe' && resumable && failure.sessionId !== undefined ? 'resume' : 'again'
}
