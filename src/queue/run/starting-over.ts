import { mayRunAgain, mustVerify } from '../../capability/retry-policy.ts'
import type { Verified } from '../../capability/verification.ts'
import { verify, verifyNotBefore } from '../../capability/verify.ts'
import { withRemedyFor } from '../../capability/whole-try.ts'
import type { EndingVerdict } from '../../ledger/settlement.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { interrupted } from './interruption.ts'
import { askAgainAfterMs, pendingEnd } from './last-question.ts'
import { idempotencyKey } from './one-try.ts'
import type { Run } from './run.ts'
import type { Next, NextTry } from './run-end.ts'

/**
 * Decides whether the work may start over, by checking whether earlier tries took effect. A resumed session does not start over.
 */
export async function startOver(run: Run, next: NextTry): Promise<Next> {
  const { deps, claimed, subject, judge, writer, signal, inProcess, counters } = run
  const { capability, params, mask, history } = subject
  if (next.resume || history.attempts.length === 0) return next
  const { time, env, settings } = deps
  const startedAt = time.now()
  const { open } = history
  const mayRun = mayRunAgain(capability, open)
  let verified: Verified | undefined
  if (!mayRun && mustVerify(capability, open)) {
    const notBefore = verifyNotBefore(capability, open)
    if (startedAt < notBefore)
      return writer.release({ dueAt: notBefore }, 'too early to check whether it took effect')
    const { attempts } = history
    const context = { signal, run: claimed.fence.run, idempotencyKey: idempotencyKey(claimed), attempts, env }
    verified = await verify(capability, params, context, { time, mask })
    if (verified.state === 'absent') history.answer()
  }
  if (signal.aborted) return interrupted(run, next)
  if (verified?.state === 'done') {
    const note = { verification: 'done' }
    return writer.succeed(verified.value, mask, { startedAt, endedAt: time.now(), note })
  }
  const { snoozes } = counters
  if (verified?.state === 'unsure' && snoozes < settings.maxSnoozes) {
    const until = time.now() + askAgainAfterMs(snoozes)
    const reason = `unsure whether it took effect: ${verified.reason}`
    const snooze: Verdict = { action: 'snooze', until, mode: 'again', reason, rule: 'queue:unsure' }
    const { verdict } = judge.bounded(snooze, undefined, judge.circumstances())
    return writer.settle(verdict as EndingVerdict)
  }
  const end = pendingEnd(history, snoozes)
  if (end) return writer.settle(end)
  if (mayRun) return { ...next, note: undefined }
  if (verified?.state === 'absent') {
    // The check may have used up the caller's time: a try that would only be aborted is not begun.
    if (inProcess && !inProcess.fits(0)) return writer.release({}, "its caller's time is used up")
    return { ...next, note: { verification: 'absent' } }
  }
  const reason = verified
    ? `still unsure after ${snoozes} checks: ${verified.reason}`
    : 'it may already have taken effect, and must not run twice'
  const refused: Verdict = { action: 'cancel', as: 'unverifiable', reason, rule: 'queue:unverifiable' }
  return writer.settle(withRemedyFor(capability, refused) as EndingVerdict)
}
