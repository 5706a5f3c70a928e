export type { BulkDone, BulkPreview } from './bulk-outcome.ts'
export { scheduleStatuses } from './cron-status.ts'
export {
  isMayRepeat,
  isOperationFailed,
  isQueueError,
  MayRepeat,
  OperationFailed,
  QueueError,
} from './error.ts'
export { type OpenedQueue, type OpenQueueOptions, openQueue } from './open.ts'
export type { OperationId, Submitted } from './operation-id.ts'
export type { EndedOperation } from './operation-waiters.ts'
export type { PrunedData } from './prune-data.ts'
export type { Queue } from './queue.ts'
export type { OperationResult } from './result.ts'
export { type HandedOver, isHandedOver, type RunResult } from './run-result.ts'
export type { Runner, RunnerOptions } from './runner.ts'
export type { QueueStatus } from './status.ts'
export type { SubmitOptions } from './submission.ts'
