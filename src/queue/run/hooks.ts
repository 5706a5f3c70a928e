import type { HookContext } from '../../capability/hook.ts'
import { askFailure, askResult, type HookTools } from '../../capability/hooks.ts'
import type { Failure } from '../../failure/failure.ts'
import type { Circumstances } from '../../verdict/circumstances.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import type { Run } from './run.ts'

/** The run whose hooks are asked. */
type Asking = Pick<Run, 'deps' | 'subject' | 'signal' | 'claimed'>

/** Asks the capability about a failure; undefined lets the verdict stand. */
export function askedAboutFailure(
  run: Asking,
  failure: Failure,
  verdict: Verdict,
  circumstances: Circumstances,
): ReturnType<typeof askFailure> {
  const context = contextOf(run, circumstances, failure.provider)
  return askFailure(run.subject.capability, failure, verdict, context, toolsOf(run))
}

/** Asks the capability about a result; undefined lets it count as success. */
export function askedAboutResult(
  run: Asking,
  value: unknown,
  circumstances: Circumstances,
  provider: string | undefined,
): ReturnType<typeof askResult> {
  const context = contextOf(run, circumstances, provider)
  return askResult(run.subject.capability, value, context, toolsOf(run))
}

function contextOf(
  { claimed, subject, signal }: Asking,
  circumstances: Circumstances,
  provider: string | undefined,
): HookContext<unknown> {
  const { operation, fence } = claimed
  const { params, history } = subject
  return {
    params,
    circumstances,
    signal,
    operationId: fence.id,
    run: fence.run,
    attempt: history.attempts.length + 1,
    attempts: history.attempts,
    provider,
    context: operation.context,
    session: operation.session,
  }
}

function toolsOf({ deps, subject }: Asking): HookTools {
  const { report, time } = deps
  return { report: problem => report({ about: 'hook', problem }), mask: subject.mask, time }
}
