import type { Operation } from '../../ledger/operation.ts'

/** The bounds of an operation, and what it has used of them: tries and waits since it last started afresh. */
export type Counters = Pick<Operation, 'retries' | 'waits' | 'snoozes' | 'retryingMs' | 'snoozedMs'> &
  Pick<Operation, 'maxRetries' | 'retryForMs'>
