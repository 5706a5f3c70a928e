import { afterFailure, type Decided, type FailedTry } from '../../call/attempt/after-failure.ts'
import { verifyNotBefore } from '../../capability/verify.ts'
import { withRemedyFor } from '../../capability/whole-try.ts'
import type { Failure } from '../../failure/failure.ts'
import { present } from '../../failure/present.ts'
import type { NewAttempt } from '../../ledger/attempt.ts'
import type { EndingVerdict } from '../../ledger/settlement.ts'
import type { Outlook, Permit } from '../../provider/gate.ts'
import { isSucceeded, type Succeeded } from '../../verdict/succeeded.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import type { QueueDeps } from '../queue-deps.ts'
import { outlookAfter } from './admission.ts'
import { askedAboutFailure } from './hooks.ts'
import { askBeforeEnd } from './last-question.ts'
import { lengthenRepeatedWait } from './no-progress.ts'
import type { OneTry } from './one-try.ts'
import { append, type Run, wait } from './run.ts'
import type { Next, NextTry, RunEnd } from './run-end.ts'

/**
 * Handles a failed try: decides what to do about it, and carries that out.
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
): Promise<Next> {
  const { provider, cost, isLifted } = attempted
  const { tried: before, note } = given
  const tried = provider === undefined ? before : new Set([...before, provider])
  const decided = await afterFailureOfOperation(run, { failure, cause, permit, cost, tried, isLifted })
  if (isSucceeded(decided))
    return run.writer.succeedAs(decided, run.subject.mask, attempted.asAttempt(failure, undefined, note))
  const attempt = attempted.asAttempt(failure, decided.verdict, note)
  return act(run, { ...given, tried, last: { failure, cause } }, { ...decided, attempt, failure, cause })
}

/** What was decided about a try. */
export interface Decision extends Pick<Decided, 'verdict' | 'isForHere'> {
  /** The try, with the verdict. */
  attempt: NewAttempt
  /** Undefined if the verdict is about a result. */
  failure: Failure | undefined
  /** What the try threw or returned. */
  cause: unknown
}

/** Carries out a decision: another try of this run, or its end. */
export async function act(run: Run, given: NextTry, decision: Decision): Promise<Next> {
  const { verdict, attempt } = decision
  run.events?.ended(run.subject.history.attempts.length + 1, attempt)
  if (!isFurtherTry(run, decision)) return endWith(run, decision, run.inProcess !== undefined)
  if (!(await append(run, attempt))) return { end: 'lost' }
  // Without the session and provider of the previous try: only a retry that says so returns to them.
  const { tried, note, last } = given
  const next: NextTry = { tried, note, last }
  return verdict.action === 'retry' ? retry(run, next, verdict, decision) : next
}

/**
 * Ends the run with a decision.
 * @param isAwaited a caller waits for the run
 */
export async function endWith(
  run: Ending,
  { verdict, attempt, failure, cause }: Omit<Decision, 'isForHere'>,
  isAwaited: boolean,
): Promise<RunEnd> {
  const { subject, writer, deps } = run
  const asked = await askBeforeEnd(run, verdict, attempt, isAwaited)
  if (asked) return asked
  const now = deps.time.now()
  if (verdict.action === 'failover') return writer.release({ attempt }, verdict.reason)
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

/** A retry that needs verification waits at least until a check makes sense. */
export function notBeforeAsking(
  verdict: EndingVerdict,
  { capability, history }: Pick<Run['subject'], 'capability' | 'history'>,
  attempt: NewAttempt,
  now: number,
): EndingVerdict {
  if (verdict.action !== 'retry' || verdict.mode === 'resume' || capability.retry !== 'verify_first')
    return verdict
  const at = verifyNotBefore(capability, [...history.open, attempt])
  return { ...verdict, delayMs: Math.max(verdict.delayMs, at - now) }
}

/** The run that ends. */
type Ending = Pick<Run, 'deps' | 'claimed' | 'subject' | 'judge' | 'writer' | 'signal' | 'counters'>

/** How often in a row an operation may be refused its turn before it waits longer than its provider pauses. */
const HELD_FREELY = 5

/** Whether it waits in line: a hold, which uses up no snooze. As long as all snoozes may last together, but not for ever. */
function isHeld(
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
          ...present({ cwd: folder, failure }),
        }
      : undefined
  return { ...next, again: attempt.provider, resume }
}

/** A failed try of an operation. */
export interface FailedTryOfOperation extends Omit<FailedTry, 'seen'> {
  /** What the failure was classified from. */
  cause: unknown
  /** The providers that this run has tried. */
  tried: ReadonlySet<string>
  /** True if its last request did nothing, but what it did before may have taken effect. */
  isLifted: boolean
}

/** The run whose try it was. A parked operation has none: its failure is judged again, but its hooks were asked then. */
export type Decider = Pick<Run, 'deps' | 'subject' | 'judge'> &
  Partial<Pick<Run, 'holds' | 'inProcess' | 'claimed' | 'signal'>>

/**
 * What to do about a failed try of an operation, wherever it was made.
 * @param outlook default: what the health of its providers says
 */
export function afterFailureOfOperation(
  run: Decider,
  { cause, tried, isLifted, ...failedTry }: FailedTryOfOperation,
  outlook: () => Outlook | Promise<Outlook> = () => outlookAfter(run, tried, failedTry.failure, cause),
): Promise<Decided | Succeeded> {
  const { deps, subject, judge, holds, inProcess, claimed, signal } = run
  const { capability, history } = subject
  const { failure } = failedTry
  const asking = capability.handleFailure && claimed && signal && { deps, subject, claimed, signal }
  return afterFailure(
    { ...failedTry, seen: history.lifted(failure) },
    {
      judge,
      here: inProcess?.judge,
      mayRetry: inProcess && (provider => deps.health.mayRetry(provider)),
      ...(holds ? { counted: () => holds.sync() } : {}),
      outlook,
      ...(asking
        ? { asked: (verdict, circumstances) => askedAboutFailure(asking, failure, verdict, circumstances) }
        : {}),
      remedied: verdict => withRemedyFor(capability, verdict, isLifted),
    },
  )
}
