import { askFailure, askResult, type HookContext, type HookTools } from '../../capability/hooks.ts'
import type { Failure } from '../../failure/failure.ts'
import type { Outlook } from '../../provider/gate.ts'
import type { Circumstances } from '../../verdict/circumstances.ts'
import type { PolicyAnswer } from '../../verdict/policy.ts'
import { isSucceeded } from '../../verdict/succeeded.ts'
import type { Run } from './run.ts'

/** The run whose hooks are asked. */
type Asking = Pick<Run, 'deps' | 'subject' | 'judge' | 'signal' | 'claimed'>

/** Asks the capability about a failure and its verdict. Returns the answer that holds, within the bounds of the operation. */
export async function askedAboutFailure(
  run: Asking,
  failure: Failure,
  answer: PolicyAnswer,
  outlook: Outlook,
): Promise<PolicyAnswer> {
  // The policy knows the result, so there is no verdict to change.
  if (isSucceeded(answer)) return answer
  const { judge } = run
  const { capability, history } = run.subject
  const circumstances = judge.circumstances(outlook)
  const context = contextOf(run, circumstances, failure.provider)
  const changed = await askFailure(capability, failure, answer, context, toolsOf(run))
  if (isSucceeded(changed)) return changed
  return changed ? judge.bounded(changed, history.lifted(failure), circumstances).verdict : answer
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
