import { classify, classifyKnown } from '../failure/classify.ts'
import type { ClassifyContext } from '../failure/context.ts'
import type { Failure } from '../failure/failure.ts'
import { isFineAnswer } from '../failure/observe/observe.ts'
import { isKnownFailure } from './known-failure.ts'
import type { TryOutcome } from './try.ts'

/** A failed try: what it means, and what the work threw or returned, as it was. */
export interface TryFailure {
  failure: Failure
  cause: unknown
}

type Own = NonNullable<ClassifyContext['own']>

/**
 * True for a returned value that tells of no failure. Most calls end here, before anything is made that only a failure
 * needs.
 * @param softFailures whether a returned value that says of itself that it failed counts
 */
export function isPlainSuccess(outcome: TryOutcome<unknown>, softFailures: boolean): boolean {
  if (outcome.ended !== 'returned' || outcome.seen !== undefined) return false
  return !softFailures || isFineAnswer(outcome.value)
}

/** What failed in a try; undefined if it succeeded all the same. */
export function tryFailure(outcome: TryOutcome<unknown>, context: ClassifyContext): TryFailure | undefined {
  switch (outcome.ended) {
    case 'returned': {
      const failure = classify(outcome.seen ?? outcome.value, { ...context, returned: true })
      return failure ? { failure, cause: outcome.value } : undefined
    }
    case 'threw':
      return { failure: thrown(outcome.error, context), cause: outcome.error }
    case 'timedOut':
      return cut(outcome, () => stopped(outcome.reason, context, { timedOut: true }))
    case 'aborted':
      return cut(outcome, () => stopped(outcome.reason, context, { aborted: true }))
    case 'overspent':
      return cut(outcome, () => stopped(outcome.reason, context, { rail: 'max_budget' }))
  }
}

/** Work that told within its grace how it ended knows what it had spent; else we only know why it was stopped. */
function cut({ reason, said }: { reason: unknown; said?: unknown }, otherwise: () => Failure): TryFailure {
  return isKnownFailure(said)
    ? { failure: said.failure, cause: said }
    : { failure: otherwise(), cause: reason }
}

/** A failure of which we know ourselves what it is: our timer, our rail, the caller's abort. */
export function stopped(input: unknown, context: ClassifyContext, own: Own): Failure {
  return classify(input, { ...context, own }) as Failure
}

/** Work may throw anything, also what reads like a success; thrown, it is a failure all the same. */
export function thrown(error: unknown, context: ClassifyContext): Failure {
  if (isKnownFailure(error)) return classifyKnown(error, error.failure, context)
  return (
    classify(error, context) ??
    (classify(new Error('it threw what reads like a success'), context) as Failure)
  )
}
