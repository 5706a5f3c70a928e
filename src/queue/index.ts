export type { BulkDone, BulkOptions, BulkPreview, RetryOptions } from './bulk-outcome.ts'
export type { CronSchedule } from './cron-schedule.ts'
export { type ScheduleStatus, scheduleStatuses } from './cron-status.ts'
export type { EditOptions } from './edit.ts'
export {
  isMayRepeat,
  isOperationFailed,
  isQueueError,
  MayRepeat,
  OperationFailed,
  QueueError,
  type QueueErrorCode,
} from './error.ts'
export { type OpenedQueue, type OpenQueueOptions, openQueue } from './open.ts'
export type { OperationId, Submitted } from './operation-id.ts'
export type { EndedOperation } from './operation-waiters.ts'
export type { PrunedData } from './prune-data.ts'
export type { Queue } from './queue.ts'
export type { QueueProblem } from './queue-deps.ts'
export type { OperationResult } from './result.ts'
export type { RunNowOptions } from './run-now.ts'
export { type HandedOver, isHandedOver, type RanNow, type RunResult } from './run-result.ts'
export type { Runner, RunnerOptions } from './runner.ts'
export type { QueueSettings } from './settings.ts'
export type { QueueStatus } from './status.ts'
export type { Submission, SubmitOptions } from './submission.ts'
export type { HandOverOptions } from './tried-elsewhere.ts'
