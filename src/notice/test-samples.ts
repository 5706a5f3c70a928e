import type { Operation } from '../ledger/operation.ts'

// Not of the kit that users get: records as the tests of notices need them.

/** An operation, dead unless said otherwise. */
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
