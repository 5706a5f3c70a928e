import { tellHealth } from '../../call/attempt/tell-health.ts'
import { withRemedyFor } from '../../capability/whole-try.ts'
import type { Failure } from '../../failure/failure.ts'
import type { Outlook, Permit } from '../../provider/gate.ts'
import type { PolicyAnswer } from '../../verdict/policy.ts'
import { isSucceeded } from '../../verdict/succeeded.ts'
import { act } from './act.ts'
import { outlookAfter } from './admission.ts'
import { askedAboutFailure } from './hooks.ts'
import type { OneTry } from './one-try.ts'
import type { RunEnd } from './run-end.ts'
import type { RunState } from './run-state.ts'

/**
 * A try failed: its provider's health hears of it, the policies and the capability decide, and that is done.
 * @param cause what the failure was read from
 * @param permit undefined where the provider did its part, and only the result was refused
 */
export async function failed(
  run: RunState,
  tried: OneTry,
  failure: Failure,
  cause: unknown,
  permit: Permit | undefined,
): Promise<RunEnd | undefined> {
  if (tried.provider !== undefined) run.tried.add(tried.provider)
  if (permit) {
    tellHealth(permit, failure, run.judge, tried.cost)
    await run.holds.sync()
  }
  run.last = { failure, cause }
  const outlook = await outlookAfter(run, failure)
  const asked = await askedAboutFailure(run, failure, verdictOn(run, failure, outlook, permit), outlook)
  if (isSucceeded(asked))
    return run.writer.succeedAs(asked, run.subject.mask, tried.asAttempt(failure, undefined, run.note))
  const verdict = withRemedyFor(run.subject.capability, asked, tried.isLifted)
  return act(run, verdict, tried.asAttempt(failure, verdict, run.note), failure, cause)
}

/** In process first, where there is a budget; what that cannot do is decided again as durable. */
function verdictOn(
  run: RunState,
  failure: Failure,
  outlook: Outlook,
  permit: Permit | undefined,
): PolicyAnswer {
  const lifted = run.subject.history.lifted(failure)
  const verdict = run.inProcess?.answer(lifted, outlook, permit)
  run.isDecidedInProcess = verdict !== undefined
  return verdict ?? run.judge.answer(lifted, outlook)
}
