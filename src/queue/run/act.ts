import { reportFailure } from '../../call/attempt/judge.ts'
import { withRemedyFor } from '../../capability/whole-try.ts'
import type { Failure } from '../../failure/failure.ts'
import type { NewAttempt } from '../../ledger/attempt.ts'
import type { Permit } from '../../provider/gate.ts'
import { isSucceeded } from '../../verdict/succeeded.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import type { QueueDeps } from '../queue-deps.ts'
import { outlookAfter } from './admission.ts'
import { askedAboutFailure } from './hooks.ts'
import { askBeforeEnd } from './last-question.ts'
import { lengthenRepeatedWait } from './no-progress.ts'
import type { OneTry } from './one-try.ts'
import { append, type NextTry, type Run, type Step } from './run.ts'
import { notBeforeAsking } from './verification.ts'
import { wait } from './wait.ts'

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
  const outlook = await outlookAfter(run, tried, failure, cause)
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

/** What was decided about a try. */
export interface Decision {
  verdict: Verdict
  /** It was decided for the process of the waiting caller; a durable verdict ends the run. */
  isForHere: boolean
  /** The try, with the verdict. */
  attempt: NewAttempt
  /** Undefined if the verdict is about a result. */
  failure: Failure | undefined
  /** What the try threw or returned. */
  cause: unknown
}

/** Carries out a decision: another try of this run, or its end. */
export async function act(run: Run, given: NextTry, decision: Decision): Promise<Step> {
  const { subject, writer, deps, events } = run
  const { verdict, attempt, failure, cause } = decision
  events?.ended(subject.history.attempts.length + 1, attempt)
  if (isFurtherTry(run, decision)) {
    if (!(await append(run, attempt))) return { end: 'lost' }
    // Without the session and provider of the previous try: only a retry that says so returns to them.
    const { tried, note, last } = given
    const next: NextTry = { tried, note, last }
    return verdict.action === 'retry' ? retry(run, next, verdict, decision) : next
  }
  const asked = await askBeforeEnd(run, verdict, attempt, run.inProcess !== undefined)
  if (asked) return asked
  const now = deps.time.now()
  if (verdict.action === 'failover') return writer.release({ dueAt: now, attempt }, verdict.reason)
  if (isHeld(verdict, run.claimed.operation, deps, now)) {
    // The pause of its provider grows by itself. An operation that is refused although others are served waits longer.
    const { until, reason } = failure
      ? await lengthenRepeatedWait(run, verdict, failure, HELD_FREELY)
      : verdict
    return writer.release({ dueAt: until, mode: verdict.mode, attempt }, reason)
  }
  const guarded =
    verdict.action === 'snooze' && failure
      ? { ...verdict, ...(await lengthenRepeatedWait(run, verdict, failure)) }
      : verdict
  return writer.settle(notBeforeAsking(guarded, subject, attempt, now), attempt, cause)
}

/** How often in a row an operation may be refused its turn before it waits longer than its provider pauses. */
const HELD_FREELY = 5

/** Whether it waits in line: a hold, which uses up no snooze. As long as all snoozes may last together, but not for ever. */
export function isHeld(
  verdict: Verdict,
  { createdAt }: { createdAt: number },
  { settings }: Pick<QueueDeps, 'settings'>,
  now: number,
): verdict is Extract<Verdict, { action: 'snooze' }> & { held: true } {
  return verdict.action === 'snooze' && verdict.held === true && now - createdAt < settings.maxWaitMs
}

function isFurtherTry({ inProcess }: Run, { verdict, isForHere }: Decision): boolean {
  if (verdict.action === 'failover') return inProcess?.fits(0) ?? true
  if (verdict.action !== 'retry' || !isForHere) return false
  return inProcess?.canRetry(verdict.delayMs) ?? false
}

/** Waits for the next try of this run, with the same provider. */
async function retry(
  run: Run,
  next: NextTry,
  { mode, delayMs, reason }: Extract<Verdict, { action: 'retry' }>,
  { attempt, failure }: Decision,
): Promise<NextTry> {
  run.counters.retries++
  run.inProcess?.retried(delayMs)
  await wait(run, delayMs, reason)
  const { session } = run.subject.history
  const { folder } = run.recorder
  const resume =
    mode === 'resume' && session !== undefined
      ? {
          sessionId: session,
          ...(folder === undefined ? {} : { cwd: folder }),
          ...(failure ? { failure } : {}),
        }
      : undefined
  return { ...next, again: attempt.provider, resume }
}
