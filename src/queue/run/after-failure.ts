import { reportFailure } from '../../call/attempt/judge.ts'
import { withRemedyFor } from '../../capability/whole-try.ts'
import type { Failure } from '../../failure/failure.ts'
import type { Permit } from '../../provider/gate.ts'
import { isSucceeded } from '../../verdict/succeeded.ts'
import { act } from './act.ts'
import { outlookAfter } from './admission.ts'
import { askedAboutFailure } from './hooks.ts'
import type { OneTry } from './one-try.ts'
import type { NextTry, Run, Step } from './run.ts'

/**
 * Handles a failed try: updates its provider's health, asks the policies and the capability, and carries out the decision.
 * @param cause what the failure was classified from
 * @param permit undefined if the provider did its part, and only the result was refused
 */
export async function failed(
  run: Run,
  given: NextTry,
  attempted: OneTry,
  failure: Failure,
  cause: unknown,
  permit: Permit | undefined,
): Promise<Step> {
  const { judge, inProcess, writer, holds } = run
  const { capability, history, mask } = run.subject
  const { provider } = attempted
  const { tried: before, note } = given
  const tried = provider === undefined ? before : new Set([...before, provider])
  if (permit) {
    reportFailure(permit, failure, judge, attempted.cost)
    await holds.sync()
  }
  const outlook = await outlookAfter(run, tried, failure)
  const lifted = history.lifted(failure)
  // In process first, if a caller waits; what that cannot do is judged again as durable.
  const here = inProcess?.answer(lifted, outlook, permit)
  const decided = here ?? judge.answer(lifted, outlook)
  const asked = await askedAboutFailure(run, failure, decided, outlook)
  if (isSucceeded(asked)) return writer.succeedAs(asked, mask, attempted.asAttempt(failure, undefined, note))
  const verdict = withRemedyFor(capability, asked, attempted.isLifted)
  const attempt = attempted.asAttempt(failure, verdict, note)
  const next = { ...given, tried, last: { failure, cause } }
  return act(run, next, { verdict, isForHere: here !== undefined, attempt, failure, cause })
}
