export { type BackedUp, backUp, restore } from './backup.ts'
export type {
  BulkAction,
  BulkDone,
  BulkOutcome,
  BulkPreview,
  BulkStep,
} from './bulk-outcome.ts'
export { type CodeOwner, codeOwner, trackCodeOwner } from './code-owner.ts'
export { type ConfigCheckDeps, checkConfig, configProblems } from './config-problems.ts'
export { schedulesOf } from './cron-from-config.ts'
export type { CronRecord } from './cron-record.ts'
export { type CronSchedule, submissionOf } from './cron-schedule.ts'
export { type ScheduleStatus, scheduleStatuses } from './cron-status.ts'
export type { EditOptions } from './edit.ts'
export { isOperationFailed, isQueueError, OperationFailed, QueueError, type QueueErrorCode } from './error.ts'
export { OpenedQueue, type OpenQueueOptions, openQueue, RESULTS_FOLDER } from './open.ts'
export {
  eventToJson,
  type OperationBackground,
  operationToJson,
  remainingRetries,
  standingReason,
  triedToJson,
} from './operation-json.ts'
export type { EndedOperation } from './operation-waiters.ts'
export type { PrunedData } from './prune-data.ts'
export { Queue } from './queue.ts'
export { problemInWords, type QueueParts, type QueueProblem } from './queue-deps.ts'
export type { OperationResult } from './result.ts'
export type { RunEnd } from './run/run-end.ts'
export type { RunListener } from './run/run-events.ts'
export type { RunNowOptions } from './run-now.ts'
export {
  type HandedOver,
  handedOver,
  isHandedOver,
  isQueuedForRetry,
  type RanNow,
  type RunResult,
} from './run-result.ts'
export { Runner, type RunnerOptions } from './runner.ts'
export { QUEUE_DEFAULTS, type QueueSettings } from './settings.ts'
export type { QueueStatus } from './status.ts'
export type { Submission, SubmitOptions } from './submission.ts'
export type { HandOverOptions } from './tried-elsewhere.ts'
