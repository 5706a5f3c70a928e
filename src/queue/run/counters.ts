import type { Operation } from '../../ledger/index.ts'

/** What bounds an operation, as it stands: tries and waits since it was last started afresh. */
export type Counters = Pick<Operation, 'retries' | 'snoozes' | 'retryingMs' | 'snoozedMs'>
