import { isFailed } from '../../capability/hooks.ts'
import { partlyVerified } from '../../capability/partly-verified.ts'
import { withRemedyFor } from '../../capability/whole-try.ts'
import { classify } from '../../failure/classify.ts'
import type { Failure } from '../../failure/failure.ts'
import { isSucceeded } from '../../verdict/succeeded.ts'
import { classifyContextOf } from '../queue-deps.ts'
import { act, failed } from './act.ts'
import { askedAboutResult } from './hooks.ts'
import type { OneTry } from './one-try.ts'
import type { Run } from './run.ts'
import type { Next, NextTry } from './run-end.ts'

/** A try returned a value that is no failure: a success, unless the capability decides otherwise. */
export async function returned(run: Run, next: NextTry, tried: OneTry): Promise<Next> {
  const { deps, judge, writer, holds } = run
  const { capability, model, mask } = run.subject
  const { value } = tried.outcome as { value: unknown }
  tried.permit?.succeeded(tried.cost, value)
  if (tried.permit) void holds.succeeded(tried.permit.provider)
  // Most capabilities let a result stand, and every success would pay for the question.
  const circumstances = capability.handleResult && judge.circumstances()
  const answer = circumstances
    ? await askedAboutResult(run, value, circumstances, tried.provider)
    : partlyVerified(capability, value)
  const succeeded = () => tried.asAttempt(undefined, undefined, next.note)
  if (answer === undefined) return writer.succeed(value, mask, succeeded())
  if (isSucceeded(answer)) return writer.succeedAs(answer, mask, succeeded())
  if (isFailed(answer)) {
    const about = classifyContextOf(deps, capability, tried.provider, model)
    const refused = new Error('its result was refused')
    const failure = classify(mask.value(answer.failed), about) ?? (classify(refused, about) as Failure)
    tried.spentAtLeast(failure)
    return failed(run, next, tried, tried.ofWhole(mask.failure(failure)), answer.failed, undefined)
  }
  const verdict = withRemedyFor(
    capability,
    judge.bounded(answer, undefined, circumstances ?? judge.circumstances()).verdict,
  )
  const attempt = tried.asAttempt(undefined, verdict, next.note)
  // A hook's verdict on a result is durable.
  return act(run, next, { verdict, isForHere: false, attempt, failure: undefined, cause: value })
}
