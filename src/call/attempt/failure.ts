import { classify, classifyKnown } from '../../failure/classify.ts'
import type { ClassifyContext } from '../../failure/context.ts'
import type { Failure } from '../../failure/failure.ts'
import { isKnownFailure } from '../../failure/known-failure.ts'
import { isFineAnswer } from '../../failure/observe/observe.ts'
import type { Cut, Outcome } from './outcome.ts'

/** A failed attempt: what it means, and what the work threw or returned, as it was. */
export interface AttemptFailure {
  failure: Failure
  cause: unknown
}

type Own = NonNullable<ClassifyContext['own']>

/** Who ended an attempt, as the classifier is told. */
const OWN: Readonly<Record<Cut['ended'], Own>> = {
  timedOut: { timedOut: true },
  aborted: { aborted: true },
  overspent: { rail: 'max_budget' },
}

/**
 * True for a returned value that tells of no failure. Most calls end here, before anything is made that only a failure
 * needs.
 * @param softFailures whether a returned value that says of itself that it failed counts
 */
export function isPlainSuccess(outcome: Outcome, softFailures: boolean): boolean {
  if (outcome.ended !== 'returned' || outcome.seen !== undefined) return false
  return !softFailures || isFineAnswer(outcome.value)
}

/**
 * What failed in an attempt; undefined if it succeeded after all.
 * @param read what is classified in place of a value or an error, such as the same without secrets. Default itself
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

/** Work that told within its grace how it ended knows what it had done; else we only know why it was stopped. */
function cut(outcome: Cut, context: ClassifyContext, read: (input: unknown) => unknown): AttemptFailure {
  const { error, reason } = outcome
  if (isKnownFailure(error)) return { failure: error.failure, cause: error }
  const input = error === undefined || isEcho(error, reason) ? reason : error
  const failure = stopped(read(input), context, OWN[outcome.ended])
  return { failure: outcome.isBegun ? failure : { ...failure, effect: 'none' }, cause: input }
}

/** True for an error that says no more than that the signal was aborted. */
function isEcho(error: unknown, reason: unknown): boolean {
  return error === reason || (error instanceof Error && error.name === 'AbortError')
}

/** A failure of which we know ourselves what it is: our timer, our limit on the cost, the caller's abort. */
export function stopped(input: unknown, context: ClassifyContext, own: Own): Failure {
  return classify(input, { ...context, own }) as Failure
}

/** Work may throw anything, also what reads like a success; thrown, it is a failure all the same. */
export function thrown(
  error: unknown,
  context: ClassifyContext,
  read: (input: unknown) => unknown = itself,
): Failure {
  if (isKnownFailure(error)) return classifyKnown(error, error.failure, context)
  const failure = classify(read(error), context)
  if (failure) return failure
  const message = error instanceof Error ? read(error.message) : 'it threw what reads like a success'
  return classify(new Error(message as string), context) as Failure
}

function itself(input: unknown): unknown {
  return input
}
