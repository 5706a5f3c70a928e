import type { ClaimedRun } from '../../engine/engine.ts'
import type { Failure } from '../../failure/failure.ts'
import { fingerprintOf } from '../../failure/fingerprint/fingerprint.ts'
import { present } from '../../failure/present.ts'
import type { NewAttempt } from '../../ledger/attempt.ts'
import { isSucceeded } from '../../verdict/succeeded.ts'
import { afterFailureOfOperation, notBeforeAsking } from './act.ts'
import { askBeforeEnd } from './last-question.ts'
import { append, type Run } from './run.ts'
import type { Next } from './run-end.ts'

type Lost = NonNullable<ClaimedRun['lost']>

/** This run took over from a lost one, whose attempt is stored and judged before any work starts. */
export async function afterLostRun(run: Run, lost: Lost): Promise<Next> {
  const { deps, claimed, subject, writer } = run
  const { history, pool } = subject
  const { agentSession: session } = lost
  const now = deps.time.now()
  // A run that started over has its own session; a session recorded before it is not its own.
  const isOwn =
    claimed.operation.mode === 'resume' || !history.attempts.some(({ sessionId }) => sessionId === session)
  const failure = lostRunFailure(lost, isOwn ? session : undefined)
  const provider = lost.provider ?? (pool.length === 1 ? pool[0] : undefined)
  const known = provider === undefined ? failure : { ...failure, provider }
  const tried = new Set(provider === undefined ? [] : [provider])
  const failedTry = { failure: known, cause: undefined, permit: undefined, tried, isLifted: false }
  const decided = await afterFailureOfOperation(run, failedTry)
  const written = { ...lostAttempt(lost, known, now), ...present({ provider }) }
  if (isSucceeded(decided)) return writer.succeedAs(decided, subject.mask, written)
  const { verdict } = decided
  const attempt = { ...written, verdict }
  // A verdict to retry counts the lost run; any other verdict must be stored with the fact that a runner was lost.
  if (verdict.action === 'retry')
    return writer.settle(notBeforeAsking(verdict, subject, attempt, now), attempt)
  const ended = await askBeforeEnd(run, verdict, attempt, false, true)
  if (ended) return ended
  if (!(await append(run, attempt, true))) return { end: 'lost' }
  run.counters.retries++
  run.counters.waits++
  return verdict.action === 'failover' ? { tried } : writer.settle(verdict)
}

/** The failure of a run whose runner was lost: its progress is unknown. */
export function lostRunFailure(lost: Lost, session: string | undefined): Failure {
  const { run, provider, costUsd } = lost
  const message = `the runner of run ${run} was lost`
  return {
    class: 'transient',
    kind: 'runner_lost',
    effect: 'maybe',
    ...present({ provider }),
    message,
    ...present({ sessionId: session, costUsd }),
    evidence: { rule: 'queue:runner_lost', where: 'lease', excerpt: message, lost: [] },
    fingerprint: fingerprintOf({
      provider,
      name: 'runner_lost',
      texts: [{ value: 'the runner was lost', depth: 0 }],
    }),
  }
}

/** Its attempt, stored by the run that took over. */
export function lostAttempt(lost: Lost, failure: Failure, now: number): NewAttempt {
  const { startedAt, provider, costUsd } = lost
  return {
    startedAt,
    endedAt: now,
    ...present({ provider }),
    failure,
    ...present({ costUsd, sessionId: failure.sessionId }),
    note: { lost_run: lost.run, ...present({ folder: lost.folder }) },
  }
}
