import type { Failure } from '../failure/failure.ts'
import type { CancelReason, Mode, ParkReason } from '../verdict/verdict.ts'
import type { Trace } from './trace.ts'

/** The states of an operation. The last two end it. */
export const OPERATION_STATES = ['scheduled', 'running', 'parked', 'succeeded', 'dead'] as const
/** How an operation stands. */
export type OperationState = (typeof OPERATION_STATES)[number]

/** Priorities reach from -10 to 10, higher first. A small range keeps finding due work cheap. */
export const PRIORITY_LIMIT = 10

/** How long a key stands for its operation after that ended, in milliseconds: 7 days. */
export const KEY_RETENTION_DEFAULT_MS = 7 * 86_400_000

/** An operation to be written down. */
export interface NewOperation {
  /** Name of the capability that runs it. */
  capability: string
  /** What it is run with: JSON. Stored as given. */
  params: unknown
  /** The same as JSON text, which is then stored as it is. Default made of `params`. */
  paramsText?: string
  /** Names of the providers that can serve it, the preferred one first. Default none. */
  providers?: readonly string[]
  /** Integer from -10 to 10; higher ones are claimed first. Default 0. */
  priority?: number
  /** Epoch milliseconds before which it is not run. Default at once. */
  dueAt?: number
  /** Within its capability: the same key with the same parameters is the same operation. */
  key?: string
  /** How long the key stands after the operation ended, in milliseconds. Default 7 days. */
  keyRetentionMs?: number
  /** The session (of an agent, of an MCP client) that asked for it and wants to hear how it ended. */
  session?: string
  /** What made it: `submit`, `run`, `cron`, `workflow` … Default `submit`. */
  source?: string
  /** The submitter's own JSON: which step of which workflow run, for example. */
  context?: unknown
  /** Retries of this operation. Default those of its capability. */
  maxRetries?: number
  /** Retries of this operation end this long after its first failure, in milliseconds. Default that of its capability. */
  retryForMs?: number
  /** The trace that it belongs to; its runs continue it. Default none. */
  trace?: Trace
}

/** Names one run of one operation. Needed to settle; a run number that is not the last one is stale. */
export interface Fence {
  /** Id of the operation. */
  id: string
  /** Number of the run, from 1 upward. */
  run: number
}

/** The last failure, as far as lists and filters need it; the whole one stands with its attempt. */
export type FailureSummary = Pick<Failure, 'class' | 'kind'> & { message: string; fingerprint: string }

/** What an operation has in every state. */
export interface OperationRecord {
  /** `op_` and a number. */
  id: string
  /** Name of the capability that runs it. */
  capability: string
  /** What it is run with: JSON, with secrets sealed. */
  params: unknown
  /** Names of the providers that can serve it, the preferred one first. */
  providers: readonly string[]
  /** From -10 to 10; higher ones are claimed first. */
  priority: number
  /** What it is known by within its capability. */
  key?: string
  /** The session that asked for it and wants to hear how it ended. */
  session?: string
  /** What made it: `submit`, `run`, `cron`, `workflow` … */
  source: string
  /** The submitter's own JSON. */
  context?: unknown
  /** Retries that it was submitted with; absent where its capability says how many. */
  maxRetries?: number
  /** The time for its retries that it was submitted with, in milliseconds; absent where its capability says how long. */
  retryForMs?: number
  /** The trace that it belongs to. */
  trace?: Trace
  /** Epoch milliseconds. */
  createdAt: number
  /** When anything about it was last written, epoch milliseconds. */
  updatedAt: number
  /** Number of the last run; 0 before the first. */
  run: number
  /** Attempts written so far. */
  attempts: number
  /** Tries begun by a retry verdict, and lost runners, since it was last started afresh. */
  retries: number
  /** Snooze verdicts since it was last started afresh. */
  snoozes: number
  /** Those of its retries that it waited for in the queue; the others were made at once, in the process of the caller. */
  waits: number
  /**
   * Milliseconds it waited for retries: snoozed, held, parked and running time is not in it, nor time in which no runner
   * had its capability.
   */
  retryingMs: number
  /** Milliseconds that its snoozes add up to. */
  snoozedMs: number
  /** When a try first failed, epoch milliseconds; absent if none did. */
  firstFailedAt?: number
  /** US dollars that all its runs cost, as far as known. */
  costUsd: number
  /** The agent's session that a resume would continue. */
  agentSession?: string
  /** The folder that the agent worked in. */
  folder?: string
  /** The reason of the last verdict, for people. */
  reason?: string
  /** Its last failure; absent if no try failed. */
  failure?: FailureSummary
}

/** Waits for its time, or for a provider. */
export interface ScheduledOperation extends OperationRecord {
  state: 'scheduled'
  /** When it may be claimed, epoch milliseconds. */
  dueAt: number
  /** Whether the next run continues the session of the last. */
  mode: Mode
  /** The provider it waits for, while none of its providers can be used. */
  heldBy?: string
}

/** A runner has it. */
export interface RunningOperation extends OperationRecord {
  state: 'running'
  /** Whether this run continues the session of the one before. */
  mode: Mode
  /** When this run began, epoch milliseconds. */
  startedAt: number
  /** A cancel was requested; its runner ends it. */
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
  /** JSON that the work returned; a large one is cut, or in a file. */
  result?: unknown
  /** There where `result` does not hold what the work returned, but stands for it, since it is too large. */
  resultCut?: true
}

/** Ended without success. Nothing more happens to it by itself. */
export interface DeadOperation extends OperationRecord {
  state: 'dead'
  /** What it died of. */
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

/** Whether nothing more happens to it by itself. */
export function isEnded(operation: Operation): operation is SucceededOperation | DeadOperation {
  return operation.state === 'succeeded' || operation.state === 'dead'
}
