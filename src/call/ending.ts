import type { ClassifyContext } from '../failure/context.ts'
import type { Failure } from '../failure/failure.ts'
import { present } from '../failure/present.ts'
import type { Finish } from '../failure/stream/finish.ts'
import type { Permit } from '../provider/gate.ts'
import type { Verdict } from '../verdict/verdict.ts'
import type { Attempt } from './attempt/attempt.ts'
import { stopped, thrown } from './attempt/failure.ts'
import { timeoutError } from './attempt/outcome.ts'
import type { CallDeps } from './call-deps.ts'
import type { Progress } from './call-events.ts'
import { CallFailed } from './call-failed.ts'
import type { CallResult } from './call-result.ts'
import type { RefusedRepeat } from './second-try.ts'

// The only place where the result or the error of a call is made and reported.

/**
 * @param attempt the try that gave the value
 * @param durationMs since the call began
 */
export function callSucceeded<T>(
  { budget, log, events }: CallDeps,
  value: T,
  attempt: Attempt,
  durationMs: number,
  finish?: Finish,
  isStream = false,
): CallResult<T> {
  const { costUsd } = budget
  const attempts = log.list
  const { provider } = attempt
  events?.settled(attempts.length, attempt, durationMs, costUsd, isStream)
  const result: CallResult<T> =
    provider === undefined ? { value, attempts, costUsd } : { value, attempts, provider, costUsd }
  if (finish) result.finish = finish
  return result
}

export function callFailed(
  deps: CallDeps,
  failure: Failure,
  verdict: Verdict,
  cause: unknown,
  refused?: RefusedRepeat,
): CallFailed {
  const error = errorOf(deps, failure, verdict, cause)
  if (refused) error.refusedRepeat = refused
  deps.events?.settledWith(error, progressOf(deps))
  return error
}

/** Only the error: for a call that has settled and whose stream failed. */
export function errorOf(
  { budget, log }: CallDeps,
  failure: Failure,
  verdict: Verdict,
  cause: unknown,
): CallFailed {
  return new CallFailed({ failure, verdict, attempts: log.list, costUsd: budget.costUsd }, cause)
}

/** Stopped between two tries or before the first: the effect is that of the earlier tries. */
export function callStopped(
  deps: CallDeps,
  cause: unknown,
  own: NonNullable<ClassifyContext['own']>,
): CallFailed {
  const { log, judge } = deps
  const sessionId = log.last?.failure?.sessionId
  const failure: Failure = {
    ...stopped(cause, deps.context(), own),
    effect: log.effect,
    ...present({ sessionId }),
  }
  return callFailed(deps, failure, judge.verdict(failure), cause)
}

export function callAborted(deps: CallDeps, signal: AbortSignal): CallFailed {
  return callStopped(deps, signal.reason, { aborted: true })
}

/** The last failure says more than that time is over. */
export function callOutOfTime(deps: CallDeps): CallFailed {
  const { log, judge } = deps
  if (log.known) {
    const failure: Failure = { ...log.known.failure, effect: log.effect }
    return callFailed(deps, failure, judge.verdict(failure), log.known.cause)
  }
  return callStopped(deps, timeoutError(deps.budget.elapsedMs), { timedOut: true })
}

/** Without health there is no provider to call. Classifies what the gate threw, so people see why. */
export function gateFailed(deps: CallDeps, cause: unknown): CallFailed {
  const reason = 'provider health could not be read'
  const verdict: Verdict = { action: 'cancel', as: 'refused', reason, rule: 'call:gate' }
  return callFailed(deps, thrown(cause, deps.context()), verdict, cause)
}

/** Nothing failed: the provider's health stays, and the error is passed on unchanged. */
export function passedThrough(
  deps: CallDeps,
  error: unknown,
  attempt: Attempt,
  permit: Permit | undefined,
): unknown {
  permit?.released(attempt)
  deps.events?.passedThrough(error, progressOf(deps))
  return error
}

function progressOf({ budget, log }: CallDeps): Progress {
  const { elapsedMs: durationMs, costUsd } = budget
  const { list, last } = log
  return { attempts: list.length, provider: last?.provider, durationMs, costUsd }
}
