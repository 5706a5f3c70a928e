import { withRemedyFor } from '../../capability/whole-try.ts'
import type { EndingVerdict } from '../../ledger/settlement.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { interrupted } from './interruption.ts'
import { idempotencyKey } from './one-try.ts'
import type { RunEnd } from './run-end.ts'
import type { RunState } from './run-state.ts'
import { beforeWork } from './verification.ts'

/** What stands in the way of starting over. A session that is continued does not start over. */
export async function mayNotStartOver(run: RunState): Promise<RunEnd | undefined> {
  const { deps, claimed, subject, judge, writer } = run
  const { capability, params, mask, history } = subject
  if (run.resume || history.attempts.length === 0) return undefined
  const context = {
    signal: run.signal,
    run: claimed.fence.run,
    idempotencyKey: idempotencyKey(claimed),
    attempts: history.attempts,
    env: deps.env,
  }
  const { snoozes } = run.counters
  const startedAt = run.now
  const before = await beforeWork(deps, capability, history, { params, context, mask, snoozes })
  if (run.signal.aborted) return interrupted(run)
  switch (before.may) {
    case 'run':
      run.note = before.note && { verification: before.note }
      // The question may have taken what was left of the caller's time: a try that can only be cut is not begun.
      return before.note && run.inProcess && !run.inProcess.fits(0)
        ? writer.release({ dueAt: run.now }, 'the time of whoever waits for it is used up')
        : undefined
    case 'later':
      return writer.release({ dueAt: before.at }, 'it is too early to ask whether its effect is there')
    case 'succeed':
      return writer.succeed(before.value, mask, {
        startedAt,
        endedAt: run.now,
        note: { verification: 'done' },
      })
    case 'ask again': {
      const reason = `unsure whether its effect is there: ${before.why}`
      const snooze: Verdict = {
        action: 'snooze',
        until: before.at,
        mode: 'again',
        reason,
        rule: 'queue:unsure',
      }
      return writer.settle(judge.bounded(snooze, undefined, judge.circumstances()).verdict as EndingVerdict)
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
