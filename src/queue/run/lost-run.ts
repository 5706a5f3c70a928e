import type { Failure } from '../../failure/failure.ts'
import { fingerprintOf } from '../../failure/fingerprint/fingerprint.ts'
import { present } from '../../failure/present.ts'
import type { NewAttempt } from '../../ledger/attempt.ts'
import type { Started } from '../../ledger/ledger.ts'

type Lost = NonNullable<Started['lost']>

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
