import type { Operation } from '../../ledger/operation.ts'

/** What an operation has used of its bounds, and the bounds: tries and waits since it was last started afresh. */
export type Counters = Pick<Operation, 'retries' | 'waits' | 'snoozes' | 'retryingMs' | 'snoozedMs'> &
  Pick<Operation, 'maxRetries' | 'retryForMs'>
