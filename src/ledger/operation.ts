import type { Failure } from '../failure/failure.ts'
import type { CancelReason, Mode, ParkReason } from '../verdict/index.ts'

export const OPERATION_STATES = ['scheduled', 'running', 'parked', 'succeeded', 'dead'] as const
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
  /** JSON for whoever made it: which step of which workflow run, for example. */
  context?: unknown
}

/** Names one run of one operation. Whoever settles shows it; a run number that is not the last one is stale. */
export interface Fence {
  id: string
  run: number
}

/** The last failure, as far as lists and filters need it; the whole one stands with its attempt. */
export type FailureSummary = Pick<Failure, 'class' | 'kind'> & { message: string; fingerprint: string }

/** What an operation has in every state. */
export interface OperationRecord {
  id: string
  capability: string
  params: unknown
  providers: readonly string[]
  priority: number
  key?: string
  session?: string
  source: string
  context?: unknown
  createdAt: number
  updatedAt: number
  /** Number of the last run; 0 before the first. */
  run: number
  /** Attempts written so far. */
  attempts: number
  /** Tries begun by a retry verdict, and lost runners, since it was last started afresh. */
  retries: number
  snoozes: number
  /** Milliseconds it waited for retries: snoozed, held, parked and running time is not in it. */
  retryingMs: number
  /** Milliseconds that its snoozes add up to. */
  snoozedMs: number
  firstFailedAt?: number
  /** US dollars that all its runs cost, as far as known. */
  costUsd: number
  /** The agent's session that a resume would continue, and the folder it worked in. */
  agentSession?: string
  folder?: string
  /** The reason of the last verdict, for people. */
  reason?: string
  failure?: FailureSummary
}

export interface ScheduledOperation extends OperationRecord {
  state: 'scheduled'
  dueAt: number
  mode: Mode
  /** The provider it waits for, while none of its providers can be used. */
  heldBy?: string
}

export interface RunningOperation extends OperationRecord {
  state: 'running'
  mode: Mode
  startedAt: number
  cancelRequested: boolean
}

export interface ParkedOperation extends OperationRecord {
  state: 'parked'
  parkedFor: ParkReason
  parkedAt: number
}

export interface SucceededOperation extends OperationRecord {
  state: 'succeeded'
  endedAt: number
  result?: unknown
}

export interface DeadOperation extends OperationRecord {
  state: 'dead'
  deadAs: CancelReason
  endedAt: number
}

/** One durable record of running a capability. Each state has only the fields that make sense in it. */
export type Operation =
  | ScheduledOperation
  | RunningOperation
  | ParkedOperation
  | SucceededOperation
  | DeadOperation

export function isEnded(operation: Operation): operation is SucceededOperation | DeadOperation {
  return operation.state === 'succeeded' || operation.state === 'dead'
}
