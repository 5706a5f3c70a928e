import type { Failure, FailureClass, FailureKind } from '../../src/failure/failure.ts'
import type { Circumstances } from '../../src/verdict/circumstances.ts'

/** A failure for tests and examples. */
export function exampleFailure(cls: FailureClass, kind: FailureKind, fields: Partial<Failure> = {}): Failure {
  return {
    class: cls,
    kind,
    effect: 'none',
    message: `${cls}/${kind}`,
    evidence: { rule: 'example', where: 'example', excerpt: '', lost: [] },
    fingerprint: 'fp1:0000000000000000',
    ...fields,
  }
}

/** Circumstances of a call with two retries, an hour left and no other provider. */
export function exampleCircumstances(fields: Partial<Circumstances> = {}): Circumstances {
  return {
    durable: false,
    now: 1_000_000,
    random: 0.5,
    retries: 0,
    maxRetries: 2,
    backoff: 'fixed10s',
    snoozes: 0,
    maxSnoozes: 20,
    remainingMs: 3_600_000,
    minRetryBudgetMs: 30_000,
    repeatable: true,
    resumable: false,
    verifiable: false,
    otherProviderAvailable: false,
    ...fields,
  }
}
