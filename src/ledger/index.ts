export type { Agenda, AgendaQuery } from './agenda.ts'
export type { Attempt as OperationAttempt } from './attempt.ts'
export type { BillLine, BillPlace, BillQuery, BillRow, BillSum } from './bill.ts'
export { BillKeeper, type BillKeeperDeps } from './bill-keeper.ts'
export { CallUnknowns, type CallUnknownsOptions } from './call-unknowns.ts'
export type { Delivery, DeliveryEnd, DeliveryFilter, DeliveryState, NewDelivery } from './delivery.ts'
export { isLedgerError, LedgerError, type LedgerErrorCode } from './error.ts'
export type { EventQuery, EventType, LedgerEvent } from './event.ts'
export type { CountOptions, Counts, OperationFilter, Page, PageRequest } from './filter.ts'
export type { Label, LabelFilter, NewLabel } from './label.ts'
export type { Ledger, LedgerTransaction } from './ledger.ts'
export type { Disposition, NewNotice, Notice, NoticeFilter, NoticePriority } from './notice.ts'
export type { NewOperation, Operation, OperationState } from './operation.ts'
export type { Rejudged, Rejudgement } from './rejudgement.ts'
export type { RememberedStep } from './remembered-step.ts'
export type { Durability } from './sqlite/connection.ts'
export { type LedgerOptions, openLedger, type SqliteLedger } from './sqlite/sqlite-ledger.ts'
export type { Trace } from './trace.ts'
export type { Unknown, UnknownFilter, UnknownOutcome, UnknownSample, UnknownSighting } from './unknown.ts'
export type { PrunePolicy } from './upkeep.ts'
export type {
  NewWorkflowAction,
  NewWorkflowRun,
  OperationStanding,
  StepChange,
  StepDeadline,
  StepOfOperation,
  StepRecord,
  StepRecordState,
  StepResult,
  WorkflowAction,
  WorkflowChange,
  WorkflowRun,
  WorkflowRunFilter,
  WorkflowRunState,
} from './workflow-run.ts'
