import type { Operation } from '../../ledger/operation.ts'

/** What bounds an operation, as it stands: tries and waits since it was last started afresh, and its own bounds. */
export type Counters = Pick<Operation, 'retries' | 'waits' | 'snoozes' | 'retryingMs' | 'snoozedMs'> &
  Pick<Operation, 'maxRetries' | 'retryForMs'>
