import type { Failure } from '../failure/failure.ts'
import type { CancelReason, Mode, ParkReason } from '../verdict/verdict.ts'
import type { Trace } from './trace.ts'

/** The states of an operation. The last two end it. */
export const OPERATION_STATES = ['scheduled', 'running', 'parked', 'succeeded', 'dead'] as const
/** The state of an operation. */
export type OperationState = (typeof OPERATION_STATES)[number]

/** Priorities range from -10 to 10, higher first. A small range keeps the search for due work cheap. */
export const PRIORITY_LIMIT = 10

/** How long a key still finds its operation after the operation ended, in milliseconds: 7 days. */
export const KEY_RETENTION_DEFAULT_MS = 7 * 86_400_000

/** An operation to store. */
export interface NewOperation {
  /** Name of the capability that runs it. */
  capability: string
  /** Its parameters: JSON, stored as given. */
  params: unknown
  /** The parameters as JSON text, stored unchanged. Default: made from `params`. */
  paramsText?: string
  /** Names of the providers that can serve it, the preferred one first. Default none. */
  providers?: readonly string[]
  /** Integer from -10 to 10; higher ones are claimed first. Default 0. */
  priority?: number
  /** Earliest start, epoch milliseconds. Default now. */
  dueAt?: number
  /** Within its capability: the same key with the same parameters is the same operation. */
  key?: string
  /** How long the key still finds the operation after it ended, in milliseconds. Default 7 days. */
  keyRetentionMs?: number
  /** The session (of an agent or an MCP client) that submitted it and gets a notice when it ends. */
  session?: string
  /** What created it: `submit`, `run`, `cron`, `workflow` … Default `submit`. */
  source?: string
  /** The submitter's own JSON, for example which step of which workflow run. */
  context?: unknown
  /** Maximum retries of this operation. Default: those of its capability. */
  maxRetries?: number
  /** No retries later than this after its first failure, in milliseconds. Default: the capability's limit. */
  retryForMs?: number
  /** The trace it belongs to; its runs continue it. Default none. */
  trace?: Trace
}

/** Identifies one run of one operation. Required to settle; any run number but the last is stale. */
export interface Fence {
  /** Id of the operation. */
  id: string
  /** Number of the run, from 1. */
  run: number
}

/** The parts of the last failure that lists and filters need; the full failure is stored with its attempt. */
export type FailureSummary = Pick<Failure, 'class' | 'kind'> & { message: string; fingerprint: string }

/** The fields of an operation in every state. */
export interface OperationRecord {
  /** `op_` and a number. */
  id: string
  /** Name of the capability that runs it. */
  capability: string
  /** Its parameters: JSON, with secrets sealed. */
  params: unknown
  /** Names of the providers that can serve it, the preferred one first. */
  providers: readonly string[]
  /** From -10 to 10; higher ones are claimed first. */
  priority: number
  /** Its key within its capability. */
  key?: string
  /** The session that submitted it and gets a notice when it ends. */
  session?: string
  /** What created it: `submit`, `run`, `cron`, `workflow` … */
  source: string
  /** The submitter's own JSON. */
  context?: unknown
  /** Maximum retries set when it was submitted; absent if the capability decides. */
  maxRetries?: number
  /** Time limit for retries set when it was submitted, in milliseconds; absent if the capability decides. */
  retryForMs?: number
  /** The trace it belongs to. */
  trace?: Trace
  /** Epoch milliseconds. */
  createdAt: number
  /** When anything about it last changed, epoch milliseconds. */
  updatedAt: number
  /** Number of the last run; 0 before the first. */
  run: number
  /** Number of attempts so far. */
  attempts: number
  /** Tries begun by a retry verdict, plus lost runners, since its last fresh start; also those in its caller's process. */
  retries: number
  /** Snooze verdicts since its last fresh start. */
  snoozes: number
  /** Those `retries` that were made by the queue, and so use up `maxRetries`. */
  waits: number
  /**
   * Milliseconds it waited for retries. Excludes time snoozed, held, parked or running, and time in which no runner had
   * its capability.
   */
  retryingMs: number
  /** Total milliseconds of its snoozes. */
  snoozedMs: number
  /** When a try first failed, epoch milliseconds; absent if none has. */
  firstFailedAt?: number
  /** US dollars that all its runs cost, as far as known. */
  costUsd: number
  /** The agent's session that a resume would continue. */
  agentSession?: string
  /** The folder the agent worked in. */
  folder?: string
  /** The reason of the last verdict, for people. */
  reason?: string
  /** Its last failure; absent if no try failed. */
  failure?: FailureSummary
}

/** Waits until it is due, or for a provider. */
export interface ScheduledOperation extends OperationRecord {
  state: 'scheduled'
  /** When it may be claimed, epoch milliseconds. */
  dueAt: number
  /** Whether the next run continues the session of the last. */
  mode: Mode
  /** The provider it waits for, while none of its providers can be used. */
  heldBy?: string
}

/** A runner is running it. */
export interface RunningOperation extends OperationRecord {
  state: 'running'
  /** Whether this run continues the session of the previous one. */
  mode: Mode
  /** When this run began, epoch milliseconds. */
  startedAt: number
  /** True if a cancel was requested; its runner ends it. */
  cancelRequested: boolean
}

/** Waits for a person, or for a runner that has the capability. */
export interface ParkedOperation extends OperationRecord {
  state: 'parked'
  /** What it waits for. */
  parkedFor: ParkReason
  /** Since when, epoch milliseconds. */
  parkedAt: number
}

/** Done. */
export interface SucceededOperation extends OperationRecord {
  state: 'succeeded'
  /** Epoch milliseconds. */
  endedAt: number
  /** JSON that the work returned; if large, cut or in a file. */
  result?: unknown
  /** Present if `result` is only a placeholder for what the work returned, because that is too large. */
  resultCut?: true
}

/** Ended without success. Nothing more happens to it automatically. */
export interface DeadOperation extends OperationRecord {
  state: 'dead'
  /** Why it died. */
  deadAs: CancelReason
  /** Epoch milliseconds. */
  endedAt: number
}

/** One durable record of running a capability. Each state has only the fields that make sense in it. */
export type Operation =
  | ScheduledOperation
  | RunningOperation
  | ParkedOperation
  | SucceededOperation
  | DeadOperation

/** Whether nothing more happens to it automatically. */
export function isEnded(operation: Operation): operation is SucceededOperation | DeadOperation {
  return operation.state === 'succeeded' || operation.state === 'dead'
}
