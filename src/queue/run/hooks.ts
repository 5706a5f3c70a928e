import { askFailure, askResult, type HookTools } from '../../capability/index.ts'
import type { Failure } from '../../failure/index.ts'
import type { Outlook } from '../../provider/index.ts'
import type { Circumstances, Verdict } from '../../verdict/index.ts'
import type { RunState } from './run-state.ts'

/** Whose hooks are asked, and what about. */
type Asking = Pick<RunState, 'surroundings' | 'subject' | 'judge' | 'signal'>

/** What the capability says about a failure and its verdict: the verdict that holds, within the bounds of the operation. */
export async function askedAboutFailure(
  run: Asking,
  failure: Failure,
  verdict: Verdict,
  outlook: Outlook,
): Promise<Verdict> {
  const { judge, signal } = run
  const { capability, params, history } = run.subject
  const circumstances = judge.circumstances(outlook)
  const context = { params, circumstances, signal }
  const changed = await askFailure(capability, failure, verdict, context, toolsOf(run))
  return changed ? judge.bounded(changed, history.lifted(failure), circumstances) : verdict
}

/** What the capability says about a result; undefined lets it count as success. */
export function askedAboutResult(
  run: Asking,
  value: unknown,
  circumstances: Circumstances,
): ReturnType<typeof askResult> {
  const { capability, params } = run.subject
  return askResult(capability, value, { params, circumstances, signal: run.signal }, toolsOf(run))
}

function toolsOf({ surroundings, subject }: Asking): HookTools {
  const { report, time } = surroundings
  return { report: problem => report({ about: 'hook', problem }), mask: subject.mask, time }
}
