import type { Operation } from '../../src/ledger/operation.ts'

// Not part of the public test kit: records for the tests of notices.

/** An operation; dead by default. */
export function operationSample(
  more: Partial<Record<keyof Operation | 'deadAs' | 'result' | 'parkedFor' | 'parkedAt', unknown>> = {},
): Operation {
  return {
    id: 'op_1',
    capability: 'deploy',
    params: {},
    providers: [],
    priority: 0,
    source: 'submit',
    createdAt: 0,
    updatedAt: 0,
    run: 2,
    attempts: 2,
    retries: 1,
    snoozes: 0,
    waits: 1,
    retryingMs: 0,
    snoozedMs: 0,
    costUsd: 0,
    state: 'dead',
    deadAs: 'refused',
    endedAt: 0,
    ...more,
  } as unknown as Operation
}
