import { isFailed } from '../../capability/hooks.ts'
import { withRemedyFor } from '../../capability/whole-try.ts'
import { classify } from '../../failure/classify.ts'
import type { Failure } from '../../failure/failure.ts'
import { isSucceeded } from '../../verdict/succeeded.ts'
import { act } from './act.ts'
import { failed } from './after-failure.ts'
import { askedAboutResult } from './hooks.ts'
import type { OneTry } from './one-try.ts'
import type { RunEnd } from './run-end.ts'
import type { RunState } from './run-state.ts'

/** A try returned a value that is no failure: a success, unless the capability says otherwise. */
export async function returned(run: RunState, tried: OneTry): Promise<RunEnd | undefined> {
  const { judge, writer, holds } = run
  const { mask } = run.subject
  const { value } = tried.outcome as { value: unknown }
  tried.permit?.succeeded(tried.cost, value)
  if (tried.permit) void holds.succeeded(tried.permit.provider)
  const circumstances = judge.circumstances()
  const answer = await askedAboutResult(run, value, circumstances, tried.provider)
  if (answer === undefined)
    return writer.succeed(value, mask, tried.asAttempt(undefined, undefined, run.note))
  if (isSucceeded(answer))
    return writer.succeedAs(answer, mask, tried.asAttempt(undefined, undefined, run.note))
  if (isFailed(answer)) {
    const about = run.classifyContext(tried.provider)
    const refused = new Error('its result was refused')
    const failure = classify(mask.value(answer.failed), about) ?? (classify(refused, about) as Failure)
    return failed(run, tried, tried.ofWhole(mask.failure(failure)), answer.failed, undefined)
  }
  const verdict = withRemedyFor(
    run.subject.capability,
    judge.bounded(answer, undefined, circumstances).verdict,
  )
  // What a hook says about a result is durable, whatever was decided about failures before it in this run.
  run.isDecidedInProcess = false
  return act(run, verdict, tried.asAttempt(undefined, verdict, run.note), undefined, value)
}
