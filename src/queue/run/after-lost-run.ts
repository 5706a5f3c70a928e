import { withRemedyFor } from '../../capability/whole-try.ts'
import type { ClaimedRun } from '../../engine/engine.ts'
import { isSucceeded } from '../../verdict/succeeded.ts'
import { outlookAfter } from './admission.ts'
import { askedAboutFailure } from './hooks.ts'
import { lostAttempt, lostRunFailure } from './lost-run.ts'
import type { RunEnd } from './run-end.ts'
import type { RunState } from './run-state.ts'
import { notBeforeAsking } from './verification.ts'

/** This run took over from a lost one, whose attempt is written and decided before any work starts. */
export async function afterLostRun(
  run: RunState,
  lost: NonNullable<ClaimedRun['lost']>,
): Promise<RunEnd | undefined> {
  const { claimed, subject, judge, writer, tried } = run
  const { history, pool } = subject
  const { agentSession: session } = lost
  // A run that started over had a session of its own; one that was recorded before it is not that.
  const isOwn =
    claimed.operation.mode === 'resume' || !history.attempts.some(({ sessionId }) => sessionId === session)
  const failure = lostRunFailure(lost, isOwn ? session : undefined)
  const provider = lost.provider ?? (pool.length === 1 ? pool[0] : undefined)
  const known = provider === undefined ? failure : { ...failure, provider }
  if (provider !== undefined) tried.add(provider)
  const outlook = await outlookAfter(run, known)
  const decided = judge.answer(history.lifted(known), outlook)
  const asked = await askedAboutFailure(run, known, decided, outlook)
  const written = { ...lostAttempt(lost, known, run.now), ...(provider === undefined ? {} : { provider }) }
  if (isSucceeded(asked)) return writer.succeedAs(asked, subject.mask, written)
  const verdict = withRemedyFor(subject.capability, asked)
  const attempt = { ...written, verdict }
  // A verdict to retry counts it; any other has to be told that a runner was lost.
  if (verdict.action === 'retry')
    return writer.settle(notBeforeAsking(verdict, subject, attempt, run.now), attempt)
  if (!(await run.append(attempt, true))) return { end: 'lost' }
  run.counters.retries++
  return verdict.action === 'failover' ? undefined : writer.settle(verdict)
}
