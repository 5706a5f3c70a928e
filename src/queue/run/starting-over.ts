import { withRemedyFor } from '../../capability/whole-try.ts'
import type { EndingVerdict } from '../../ledger/settlement.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { interrupted } from './interruption.ts'
import { pendingEnd } from './last-question.ts'
import { idempotencyKey } from './one-try.ts'
import type { Run } from './run.ts'
import type { Next, NextTry } from './run-end.ts'
import { beforeWork } from './verification.ts'

/** Decides whether the work may start over. A resumed session does not start over. */
export async function startOver(run: Run, next: NextTry): Promise<Next> {
  const { deps, claimed, subject, judge, writer, signal, inProcess } = run
  const { capability, params, mask, history } = subject
  if (next.resume || history.attempts.length === 0) return next
  const context = {
    signal,
    run: claimed.fence.run,
    idempotencyKey: idempotencyKey(claimed),
    attempts: history.attempts,
    env: deps.env,
  }
  const { snoozes } = run.counters
  const startedAt = deps.time.now()
  const before = await beforeWork(deps, capability, history, { params, context, mask, snoozes })
  if (signal.aborted) return interrupted(run, next)
  const now = deps.time.now()
  const end = pendingEnd(history, snoozes)
  if (end && (before.may === 'run' || before.may === 'not')) return writer.settle(end)
  switch (before.may) {
    case 'run':
      // The check may have used up the caller's time: a try that would only be aborted is not begun.
      if (before.note && inProcess && !inProcess.fits(0))
        return writer.release({}, "its caller's time is used up")
      return { ...next, note: before.note && { verification: before.note } }
    case 'later':
      return writer.release({ dueAt: before.at }, 'too early to check whether it took effect')
    case 'succeed':
      return writer.succeed(before.value, mask, {
        startedAt,
        endedAt: now,
        note: { verification: 'done' },
      })
    case 'ask again': {
      const reason = `unsure whether it took effect: ${before.why}`
      const snooze: Verdict = {
        action: 'snooze',
        until: before.at,
        mode: 'again',
        reason,
        rule: 'queue:unsure',
      }
      const { verdict } = judge.bounded(snooze, undefined, judge.circumstances())
      return writer.settle(verdict as EndingVerdict)
    }
    case 'not':
      return writer.settle(
        withRemedyFor(capability, {
          action: 'cancel',
          as: before.as,
          reason: before.why,
          rule: 'queue:unverifiable',
        }) as EndingVerdict,
      )
  }
}
