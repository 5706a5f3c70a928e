import type { Failure } from '../../failure/failure.ts'
import { fingerprintOf } from '../../failure/fingerprint/fingerprint.ts'
import { present } from '../../failure/present.ts'

/** The failure of a start that no worker settled. It may have taken effect. */
export function lostWorkerFailure(starts: number, provider: string | undefined): Failure {
  const message =
    starts === 1 ? 'the worker of its last try was lost' : `the workers of ${starts} tries were lost`
  return {
    class: 'transient',
    kind: 'runner_lost',
    effect: 'maybe',
    ...present({ provider }),
    message,
    evidence: { rule: 'job:runner_lost', where: 'starts', excerpt: message, lost: [] },
    fingerprint: fingerprintOf({
      provider,
      name: 'runner_lost',
      texts: [{ value: 'the worker was lost', depth: 0 }],
    }),
  }
}
