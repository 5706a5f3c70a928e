import type { Failure } from '../../failure/failure.ts'
import type { NewAttempt } from '../../ledger/attempt.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { notInVain } from './no-progress.ts'
import { idempotencyKey } from './one-try.ts'
import type { RunEnd } from './run-end.ts'
import type { RunState } from './run-state.ts'
import { foundDone, notBeforeAsking } from './verification.ts'
import { wait } from './wait.ts'

/**
 * What follows from a verdict: a further try of this run, or its end.
 * @param attempt the try that the verdict is about, with the verdict
 * @param failure undefined if the verdict is about a result
 * @param cause what the try threw or returned
 */
export async function act(
  run: RunState,
  verdict: Verdict,
  attempt: NewAttempt,
  failure: Failure | undefined,
  cause: unknown,
): Promise<RunEnd | undefined> {
  const { subject, writer } = run
  run.events?.ended(subject.history.attempts.length + 1, attempt)
  if (!goesOn(run, verdict)) {
    const found = await foundBeforeHandOver(run, verdict, attempt)
    if (found) return found
    if (verdict.action === 'failover') return writer.release({ dueAt: run.now, attempt }, verdict.reason)
    const ending = await snoozedLonger(run, verdict, failure)
    return writer.settle(notBeforeAsking(ending, subject, attempt, run.now), attempt, cause)
  }
  if (!(await run.append(attempt))) return { end: 'lost' }
  run.again = undefined
  run.resume = undefined
  if (verdict.action === 'retry') await retry(run, verdict, attempt, failure)
  return undefined
}

/** Who waits for the run must not be told "not done yet" about what is there. */
async function foundBeforeHandOver(
  run: RunState,
  { action }: Verdict,
  attempt: NewAttempt,
): Promise<RunEnd | undefined> {
  const { deps, claimed, subject, writer, signal } = run
  if (!run.inProcess || action === 'cancel' || signal.aborted) return undefined
  const startedAt = run.now
  const found = await foundDone(deps, subject, attempt, {
    signal,
    run: claimed.fence.run,
    idempotencyKey: idempotencyKey(claimed),
    env: deps.env,
  })
  if (!found) return undefined
  if (!(await run.append(attempt))) return { end: 'lost' }
  const note = { verification: 'done' }
  return writer.succeed(found.value, subject.mask, { startedAt, endedAt: run.now, note })
}

/** What comes back for the same failure again and again is not claimed in a loop, whoever thinks that it can go on. */
async function snoozedLonger<V extends Verdict>(
  run: RunState,
  verdict: V,
  failure: Failure | undefined,
): Promise<V> {
  if (verdict.action !== 'snooze' || !failure) return verdict
  return { ...verdict, ...(await notInVain(run, verdict, failure)) }
}

/** Whether the verdict is a further try of this very run. */
function goesOn({ inProcess, isDecidedInProcess }: RunState, verdict: Verdict): boolean {
  if (verdict.action === 'failover') return inProcess?.fits(0) ?? true
  if (verdict.action !== 'retry' || !isDecidedInProcess) return false
  return inProcess?.fits(verdict.delayMs) ?? false
}

/** Waits for the next try of this run, with the same provider. */
async function retry(
  run: RunState,
  { mode, delayMs, reason }: Extract<Verdict, { action: 'retry' }>,
  { provider }: NewAttempt,
  failure: Failure | undefined,
): Promise<void> {
  run.counters.retries++
  run.inProcess?.retried(delayMs)
  run.again = provider
  const { session } = run.subject.history
  const { folder } = run.recorder
  if (mode === 'resume' && session !== undefined)
    run.resume = {
      sessionId: session,
      ...(folder === undefined ? {} : { cwd: folder }),
      ...(failure ? { failure } : {}),
    }
  await wait(run, delayMs, reason)
}
