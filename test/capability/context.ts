import type { WorkContext } from '../../src/capability/context.ts'

/** A context for tests: the first try of the first run. */
export function testContext(given: Partial<WorkContext> = {}): WorkContext {
  return {
    signal: new AbortController().signal,
    run: 1,
    idempotencyKey: 'op-1',
    attempts: [],
    attempt: 1,
    provider: undefined,
    remainingMs: Infinity,
    resume: undefined,
    env: { PATH: process.env.PATH },
    charge: () => {},
    committed: () => {},
    observed: () => {},
    record: () => {},
    step: async (_id, work) => work(),
    ...given,
  }
}
