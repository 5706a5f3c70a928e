import type { Failure } from '../failure/failure.ts'
import { councilClass } from '../verdict/presets/council.ts'
import type { CallFailed } from './call-failed.ts'
import type { CallResult } from './call-result.ts'
import { FEWEST_ANSWERS } from './council-options.ts'
import type { CouncilAnswers, MemberFailure, MemberSuccess } from './council-result.ts'
import { SdkError, sdkErrorWithin } from './sdk-error.ts'

/** A member that answered. */
export function successOf<T>(member: string, { value, attempts, costUsd }: CallResult<T>): MemberSuccess<T> {
  return { member, value, attempts: attempts.length, costUsd }
}

/** A member that failed, with its client's own error object. */
export function failureOf(
  member: string,
  error: CallFailed,
  now: number,
  remainingMs: number,
): MemberFailure {
  const { failure, attempts, costUsd } = error
  const sdkError = sdkErrorWithin(error.cause)
  return {
    member,
    class: councilClass(failure, { now, remainingMs }),
    failure,
    reason: `${failure.message}${untilWhen(failure)}`,
    attempts: attempts.length,
    costUsd,
    error: new SdkError(failure.message, sdkError, { cause: error }),
  }
}

/** When a member that could not be asked can be; what a person can do about it is part of the message. */
function untilWhen({ origin, provider, resetAt }: Failure): string {
  if (origin !== 'gate') return ''
  if (resetAt === undefined) return '; it is not asked before that'
  return `; it is asked again from ${new Date(resetAt).toISOString().replace('.000Z', 'Z')} on, or once ${provider} is reset`
}

/** Why there are too few answers: which members answered, and what stopped the others. */
export function tooFew({ successes, failures, aborted }: CouncilAnswers<unknown>): string {
  const asked = successes.length + failures.length + aborted.length
  const parts = [
    `answered: ${successes.map(({ member }) => member).join(', ') || 'none'}`,
    ...failures.map(({ member, class: cls, reason }) => `${member} failed (${cls}): ${reason}`),
  ]
  return `fewer than ${FEWEST_ANSWERS} successful councillor responses (${successes.length}/${asked}); ${parts.join('; ')}`
}

/** The sum of the known costs; null if none is known. */
export function costOf(parts: readonly { costUsd: number | null }[]): number | null {
  const known = parts.flatMap(({ costUsd }) => (costUsd === null ? [] : [costUsd]))
  return known.length === 0 ? null : known.reduce((sum, cost) => sum + cost, 0)
}
