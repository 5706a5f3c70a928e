import { classify } from '../../failure/classify.ts'
import type { ClassifyContext } from '../../failure/context.ts'
import type { Failure } from '../../failure/failure.ts'
import { isFineAnswer } from '../../failure/observe/observe.ts'
import { isKnownFailure } from '../../failure/own-error.ts'
import type { Cut, Outcome } from './outcome.ts'

/** A failed attempt: its failure, and what the work threw or returned, unchanged. */
export interface AttemptFailure {
  failure: Failure
  cause: unknown
}

type Own = NonNullable<ClassifyContext['own']>

/** What ended an attempt, in terms of the classifier. */
const OWN: Readonly<Record<Cut['ended'], Own>> = {
  timedOut: { timedOut: true },
  aborted: { aborted: true },
  overspent: { rail: 'max_budget' },
}

/**
 * True for a returned value that reports no failure. Most calls end here, before anything that only a failure needs is made.
 * @param softFailures whether a returned value that reports its own failure counts as one
 */
export function isPlainSuccess(outcome: Outcome, softFailures: boolean): boolean {
  if (outcome.ended !== 'returned' || outcome.seen !== undefined) return false
  return !softFailures || isFineAnswer(outcome.value)
}

/**
 * The failure of an attempt; undefined if it succeeded after all.
 * @param read maps a value or an error to what is classified, such as a copy without secrets; default itself
 */
export function attemptFailure(
  outcome: Outcome,
  context: ClassifyContext,
  read: (input: unknown) => unknown = itself,
): AttemptFailure | undefined {
  switch (outcome.ended) {
    case 'returned': {
      const failure = classify(read(outcome.seen ?? outcome.value), { ...context, returned: true })
      return failure ? { failure, cause: outcome.value } : undefined
    }
    case 'threw':
      return { failure: thrown(outcome.error, context, read), cause: outcome.error }
    default:
      return cut(outcome, context, read)
  }
}

/** If the work reported within its grace how it ended, that counts; otherwise we only know why it was stopped. */
function cut(outcome: Cut, context: ClassifyContext, read: (input: unknown) => unknown): AttemptFailure {
  const { error, reason } = outcome
  if (isKnownFailure(error)) return { failure: error.failure, cause: error }
  const input = error === undefined || isEcho(error, reason) ? reason : error
  const failure = stopped(read(input), context, OWN[outcome.ended])
  return { failure: outcome.isBegun ? failure : { ...failure, effect: 'none' }, cause: input }
}

/** True for an error that says only that the signal was aborted. */
function isEcho(error: unknown, reason: unknown): boolean {
  return error === reason || (error instanceof Error && error.name === 'AbortError')
}

/** A failure that we caused: our timer, our cost limit, the caller's abort. */
export function stopped(input: unknown, context: ClassifyContext, own: Own): Failure {
  return classify(input, { ...context, own }) as Failure
}

/** Work may throw anything, even a value that reads like a success. Thrown, it is a failure. */
export function thrown(
  error: unknown,
  context: ClassifyContext,
  read: (input: unknown) => unknown = itself,
): Failure {
  const failure = classify(read(error), context)
  if (failure) return failure
  const message = error instanceof Error ? read(error.message) : 'it threw a value that reads like a success'
  return classify(new Error(message as string), context) as Failure
}

function itself(input: unknown): unknown {
  return input
}
