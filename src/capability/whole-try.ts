import type { Outcome } from '../call/attempt/outcome.ts'
import { withinCauses } from '../failure/carried.ts'
import type { Failure } from '../failure/failure.ts'
import { isKnownFailure } from '../failure/own-error.ts'
import { type Remedy, withEffectOfTry, withRemedies } from '../verdict/second-try.ts'
import type { Verdict } from '../verdict/verdict.ts'
import type { Capability } from './capability.ts'
import { withEffectOfAnswer } from './kind/refusal.ts'
import { isUnanswered } from './kind/request.ts'
import { isWorkFailed } from './work-failed.ts'

type Tried = Pick<Capability, 'kind' | 'retry' | 'atomic'>

/**
 * The failure of a try, with the effect of the whole try.
 * @param isCommitted whether the work reported that it has taken effect
 */
export function failureOfWholeTry(
  capability: Tried,
  outcome: Outcome,
  failure: Failure,
  isCommitted: boolean,
): Failure {
  return withEffectOfTry(answered(capability, outcome, failure), {
    isBegun: isBegun(capability, outcome),
    repeatable: capability.retry === 'replay',
    isOneRequest: !isCommitted && isOneRequest(capability, outcome),
  })
}

/** Which answer of a server is a refusal is decided by its status, not by the words of its body. */
function answered({ kind }: Tried, outcome: Outcome, failure: Failure): Failure {
  const error = 'error' in outcome ? outcome.error : undefined
  if (kind !== 'http' || !isWorkFailed(error)) return failure
  return withEffectOfAnswer(failure, error.refused === 'by status', error.refused === 'as declared')
}

/** What is known about a try that was made elsewhere, besides its failure. */
export interface TryElsewhere {
  /** False if no provider admitted it. */
  isBegun: boolean
  /** True if the failure comes from the code that ran it and saw what it did, not from a caught error. */
  isSeen: boolean
}

/** The same for a try that was made elsewhere. */
export function failureOfTryElsewhere(
  { kind, retry, atomic }: Tried,
  failure: Failure,
  { isBegun, isSeen }: TryElsewhere,
): Failure {
  const { status = 0 } = failure
  const isRefused = kind === 'http' && !(status >= 200 && status < 300)
  const isOneRequest = atomic || isRefused || (kind === 'agent' && isSeen)
  const read = kind === 'http' ? withEffectOfAnswer(failure) : failure
  return withEffectOfTry(read, { isBegun, repeatable: retry === 'replay', isOneRequest })
}

function isBegun({ kind }: Tried, outcome: Outcome): boolean {
  if ('isBegun' in outcome) return outcome.isBegun
  return !(kind === 'command' && outcome.ended === 'threw' && isNotSpawned(outcome.error))
}

/** Whether the failure covers everything that the try did. */
function isOneRequest({ kind, atomic }: Tried, outcome: Outcome): boolean {
  const error = 'error' in outcome ? outcome.error : undefined
  switch (kind) {
    case 'agent':
      // The driver's word counts; an answer that was refused afterwards had already been worked for.
      return outcome.ended !== 'returned' && withinCauses(error, isKnownFailure) !== undefined
    case 'http':
      // A 2xx answer means it was done, no matter what its body says.
      return atomic || (outcome.ended === 'threw' && (isWorkFailed(error) || isUnanswered(error)))
    default:
      return atomic
  }
}

/** For a program that could not be started, Node names the system call that failed. */
function isNotSpawned(error: unknown): boolean {
  const { syscall } = (error ?? {}) as { syscall?: unknown }
  return error instanceof Error && !isWorkFailed(error) && String(syscall).startsWith('spawn')
}

/**
 * The verdict; if it refuses a second run, with what would allow one.
 * @param isLifted true if the last request was refused, but earlier work may have taken effect
 */
export function withRemedyFor({ kind, retry, atomic }: Tried, verdict: Verdict, isLifted = false): Verdict {
  const remedies: Remedy[] = isLifted && !atomic && kind !== 'agent' ? ['atomic', 'replay'] : ['replay']
  return withRemedies(verdict, retry === 'verify_first' ? remedies : [...remedies, 'verify_first'])
}
