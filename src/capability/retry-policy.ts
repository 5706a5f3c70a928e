import type { Circumstances } from '../verdict/circumstances.ts'
import type { Capability } from './capability.ts'
import type { PastAttempt } from './context.ts'

/** What a capability's retry policy means for a verdict. */
export function secondTryCircumstances({
  retry,
  resumable,
}: Pick<Capability, 'retry' | 'resumable'>): Pick<Circumstances, 'repeatable' | 'verifiable' | 'resumable'> {
  return { repeatable: retry === 'replay', verifiable: retry === 'verify_first', resumable }
}

/**
 * Whether the effect must be verified before the work starts over: after any try that may have had one. All tries count, not only
 * the last: an effect can show late, when a later try was already refused. A run that resumes a session does not start over.
 */
export function mustVerify(
  { retry }: Pick<Capability, 'retry'>,
  attempts: readonly Pick<PastAttempt, 'failure'>[],
): boolean {
  return retry === 'verify_first' && attempts.some(mayHaveHadEffect)
}

/**
 * Whether the work may start over without verification or a person. Once there may be an effect, it may not for `verify_first`,
 * nor for `none`, which has no check.
 */
export function mayRunAgain(
  { retry }: Pick<Capability, 'retry'>,
  attempts: readonly Pick<PastAttempt, 'failure'>[],
): boolean {
  return retry === 'replay' || !attempts.some(mayHaveHadEffect)
}

function mayHaveHadEffect({ failure }: Pick<PastAttempt, 'failure'>): boolean {
  return failure === undefined || failure.effect !== 'none'
}
