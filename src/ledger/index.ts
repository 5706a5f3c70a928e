export { type Attempt, MOST_ATTEMPTS, type NewAttempt } from './attempt.ts'
export { isLedgerError, LedgerError, type LedgerErrorCode } from './error.ts'
export { EVENT_TYPES, type EventQuery, type EventType, type LedgerEvent } from './event.ts'
export type { Counts, OperationFilter, Page, PageRequest } from './filter.ts'
export type {
  Appended,
  CancelOutcome,
  Changes,
  HandBack,
  Inserted,
  Ledger,
  LedgerTransaction,
  MaybePromise,
  RunRecord,
  Started,
} from './ledger.ts'
export { LEDGER_NAME } from './location.ts'
export {
  type DeadOperation,
  type FailureSummary,
  type Fence,
  isEnded,
  KEY_RETENTION_DEFAULT_MS,
  type NewOperation,
  OPERATION_STATES,
  type Operation,
  type OperationState,
  type ParkedOperation,
  PRIORITY_LIMIT,
  type RunningOperation,
  type ScheduledOperation,
  type SucceededOperation,
} from './operation.ts'
export {
  isAskedByPerson,
  type Parking,
  parkOriginOf,
  type Unparking,
  type UnparkOrigin,
  unparkOriginOf,
} from './parking.ts'
export { RUNNER_GONE_AFTER_MS, type RunnerRecord } from './runner-record.ts'
export type { EndingVerdict, Settled, Settlement, Stale } from './settlement.ts'
export { checkFile, type FileCheck } from './sqlite/check-file.ts'
export { type Durability, IN_MEMORY } from './sqlite/connection.ts'
export { type LedgerOptions, LOCK_WAIT_DEFAULT_MS, openLedger, SqliteLedger } from './sqlite/sqlite-ledger.ts'
export type { SqliteTransaction } from './sqlite/sqlite-transaction.ts'
export {
  type Compacted,
  type CompactOptions,
  DEAD_AFTER_DEFAULT_MS,
  EVENTS_AFTER_DEFAULT_MS,
  type Finding,
  type GiveBackOptions,
  type Pruned,
  type PrunePolicy,
  SUCCEEDED_AFTER_DEFAULT_MS,
} from './upkeep.ts'
