import type { ProviderStore } from '../provider/store.ts'
import type { Mode } from '../verdict/verdict.ts'
import type { Agenda, AgendaQuery } from './agenda.ts'
import type { Attempt, NewAttempt } from './attempt.ts'
import type { BillLine, BillQuery, BillRow } from './bill.ts'
import type { DeliveryReads, DeliveryWrites } from './delivery.ts'
import type { EventQuery, EventType, LedgerEvent, TimelineOptions } from './event.ts'
import type { CountOptions, Counts, ListRequest, OperationFilter, Page } from './filter.ts'
import type { LabelReads, LabelWrites } from './label.ts'
import type { NoticeReads, NoticeWrites } from './notice.ts'
import type { Fence, NewOperation, Operation } from './operation.ts'
import type { Parking, Unparking } from './parking.ts'
import type { Rejudged, Rejudgement } from './rejudgement.ts'
import type { RememberedStepReads, RememberedStepWrites } from './remembered-step.ts'
import type { ResultStore } from './result-store.ts'
import type { RunnerRecord } from './runner-record.ts'
import type { Settled, Settlement, Stale } from './settlement.ts'
import type { UnknownReads, UnknownWrites } from './unknown.ts'
import type {
  Compacted,
  CompactOptions,
  Finding,
  GiveBackOptions,
  LedgerSize,
  Pruned,
  PrunePolicy,
} from './upkeep.ts'
import type { WorkflowReads, WorkflowWrites } from './workflow-run.ts'
import type { MaybePromise, Writing } from './writing.ts'

/** A `pg` connection on which the caller has begun a transaction: a `Client` or a `PoolClient`. */
export interface SqlClient {
  query(question: { text: string; values?: unknown[] }): Promise<{ rows: unknown[]; rowCount: number | null }>
}

/** The result of an insert: a new row, or the existing operation with the same key. */
export interface Inserted {
  /** Id of the operation, new or existing. */
  id: string
  /** False if the operation already existed. */
  created: boolean
  /** When it is due, epoch milliseconds. */
  dueAt: number
}

/** What became known about a run while it runs. Fields that are present replace the recorded ones. */
export interface RunRecord {
  /** The agent's session, which a resume would continue. */
  agentSession?: string
  /** The folder that the agent works in. */
  folder?: string
  /** The provider that serves it: a session belongs to its provider. */
  provider?: string
  /** US dollars that the run has cost so far. */
  costUsd?: number
}

/** How to hand back an unfinished run. */
export interface HandBack {
  /** When it is due again, epoch milliseconds. Default `afterMs`. */
  dueAt?: number
  /** How long after the write it is due again, whatever the clock said before. Default at once. */
  afterMs?: number
  /** Whether the next run continues the session of this one. Default `again`. */
  mode?: Mode
  /** What was tried, if anything. */
  attempt?: NewAttempt
  /** What refused it before anything was tried, if that is the reason: which provider, by which rule. */
  refusal?: { rule: string; provider?: string }
  /** Why it did not finish, redacted. */
  reason?: string
  /** What holds it from then on: the engine that it was handed back to. Default: nothing, it can be claimed. */
  heldBy?: string
}

/** What a person says about an operation whose work is done. */
export interface MarkedDone {
  /** What it returned, as JSON. Default nothing. */
  result?: unknown
  /** Whether `result` stands for a larger one. Default false. */
  resultCut?: boolean
  /** Who says so. */
  by: string
  /** Why, for its history, redacted. Default none. */
  reason?: string
}

/** Changes to an operation that is not running. */
export interface Changes {
  /** All of its parameters, as stored. Default unchanged. */
  params?: unknown
  /** Integer from -10 to 10; higher ones are claimed first. Default unchanged. */
  priority?: number
  /** Epoch milliseconds. Default unchanged. */
  dueAt?: number
  /** Providers that can serve it, the preferred one first. Default unchanged. */
  providers?: readonly string[]
}

/** The result of a cancel: ended it, asked its runner to end it, or found it already ended or missing. */
export type CancelOutcome = 'cancelled' | 'requested' | 'ended' | 'missing'

/** The result of an append. */
export type Appended = { settled: true; event: number; number: number } | Stale

/**
 * The writes of one transaction: all of them happen, or none. An engine opens it, so that claims and ledger state
 * change together.
 */
export interface LedgerTransaction
  extends UnknownWrites,
    LabelWrites,
    NoticeWrites,
    DeliveryWrites,
    WorkflowWrites,
    RememberedStepWrites {
  /** Stores operations as scheduled, or finds the existing ones with the same keys. */
  insert(operations: readonly NewOperation[]): MaybePromise<readonly Inserted[]>
  /**
   * Moves a scheduled operation to running (or takes over a running one), with the next run number, whatever holds it: the
   * engine knows that it can run.
   */
  start(id: string, takeover?: { runner: string }): MaybePromise<Started | undefined>
  /** Writes an attempt that does not end its run. `lostRunner` counts it as a retry of the queue; a retry verdict as one made while a caller waited. */
  append(fence: Fence, attempt: NewAttempt, options?: { lostRunner?: boolean }): MaybePromise<Appended>
  /** Stores what became known during the run. False if the run is stale. */
  record(fence: Fence, record: RunRecord): MaybePromise<boolean>
  /** Ends a run: writes state, attempt and event, or nothing if the run is stale. */
  settle(fence: Fence, settlement: Settlement): MaybePromise<Settled>
  /** Schedules a running operation again without counting anything, because its runner stops. */
  handBack(fence: Fence, options?: HandBack): MaybePromise<Settled>

  /** Cancels an operation that is not running; asks the runner to cancel one that is. */
  cancel(id: string, reason: string): MaybePromise<CancelOutcome>
  /** Schedules a dead operation, with fresh counters and its full history. */
  revive(id: string, dueAt?: number): MaybePromise<boolean>
  /** Schedules a parked operation, because what it waited for is there. */
  unpark(id: string, why: Unparking): MaybePromise<boolean>
  /** Parks a scheduled operation that no runner could run. */
  park(id: string, why: Parking): MaybePromise<boolean>
  /** Settles a parked operation by a new verdict, without a run: writes state, attempt and event, or nothing. */
  rejudge(id: string, rejudgement: Rejudgement): MaybePromise<Rejudged>
  /** Ends a parked operation that has waited too long. */
  expire(id: string, reason: string): MaybePromise<boolean>
  /** Ends a dead or parked operation as succeeded, because a person saw that its work is done. */
  markDone(id: string, done: MarkedDone): MaybePromise<boolean>
  /** Changes a scheduled or parked operation; a parked one stays parked. */
  edit(id: string, changes: Changes): MaybePromise<boolean>
  /** Records that another engine has a scheduled operation, so that no runner claims it. False if it already has it. */
  hold(id: string, engine: string): MaybePromise<boolean>
  /**
   * Deletes an ended operation and everything that belongs to it; one event remains. A step of a workflow stays until
   * its end is recorded with the workflow run.
   */
  discard(id: string): MaybePromise<boolean>
  /** Writes an event about the queue, a capability or a provider as a whole. */
  tell(type: EventType, data: Record<string, unknown>): MaybePromise<number>
  /** Stores a small piece of JSON under a name; `undefined` removes it. */
  setSetting(name: string, value: unknown): MaybePromise<void>
  /**
   * Moves a consumer's cursor, if it is still at `from`. Called first, it guards the writes that follow: on false,
   * write nothing, because another process already did.
   */
  moveCursor(consumer: string, from: number, to: number): MaybePromise<boolean>
}

/** A run that begins: the current operation, and what a lost previous run left behind. */
export interface Started {
  /** The current operation, with the number of the new run. */
  operation: Operation & { state: 'running' }
  /** The run that was taken over, with what was recorded about it. */
  lost?: RunRecord & { run: number; startedAt: number }
}

/**
 * The durable record of operations, attempts, events, provider state, runners, unknowns, labels, notices and workflow
 * runs. Every method is asynchronous and safe to call from several processes at once. A write is stored once its
 * promise resolves.
 */
export interface Ledger
  extends UnknownReads,
    LabelReads,
    NoticeReads,
    DeliveryReads,
    WorkflowReads,
    RememberedStepReads {
  /** Runs the writes of one transaction. The work may be called more than once, so it must have no other effects. */
  transaction<T>(work: (writes: LedgerTransaction) => MaybePromise<T> | Writing<T>): Promise<T>

  /**
   * Runs the writes within a transaction that the caller has begun on the same server: they are stored when it commits.
   * Absent if there is no server.
   */
  within?<T>(client: SqlClient, work: (writes: LedgerTransaction) => MaybePromise<T> | Writing<T>): Promise<T>

  /** One operation; undefined if none has this id. */
  get(id: string): Promise<Operation | undefined>
  /** The operation with this key. */
  find(capability: string, key: string): Promise<Operation | undefined>
  /** All tries of an operation, oldest first. */
  attempts(id: string): Promise<readonly Attempt[]>
  /** Everything that happened to an operation, oldest first. */
  timeline(id: string, options?: TimelineOptions): Promise<readonly LedgerEvent[]>
  /** Operations, newest first, one page at a time; or sorted, on one page. */
  list(filter?: OperationFilter, page?: ListRequest): Promise<Page<Operation>>
  /** How many operations match. */
  counts(filter?: OperationFilter, options?: CountOptions): Promise<Counts>
  /** When the next operation that is neither held nor a delivery is due, epoch milliseconds. */
  nextDueAt(): Promise<number | undefined>
  /** How many scheduled operations are due when, and which providers others wait for; without deliveries. */
  agenda(query: AgendaQuery): Promise<Agenda>

  /** Events in order. */
  events(query?: EventQuery): Promise<readonly LedgerEvent[]>
  /** The last number that an event has or had, or that one was to have; 0 before the first. */
  lastEvent(): Promise<number>
  /** The last event a consumer has read; 0 if it has read none. */
  cursor(consumer: string): Promise<number>
  /**
   * Moves a consumer's cursor, if it is still at `from`; false if another process moved it. Events after the cursor are
   * kept for the consumer. Moving it to 0 removes the consumer.
   */
  moveCursor(consumer: string, from: number, to: number): Promise<boolean>
  /** Calls back soon (within a second between processes) after any write. Returns a function that stops it. */
  onChange(listener: () => void): () => void

  /** Announces a runner and its capabilities. Repeat it well within a minute. */
  advertise(runner: Omit<RunnerRecord, 'startedAt' | 'seenAt'>): Promise<void>
  /** Records that a runner is gone, so that nothing waits for it. */
  withdraw(runner: string): Promise<void>
  /** Runners seen in the last minute. */
  runners(): Promise<readonly RunnerRecord[]>

  /** Adds what tries used and cost to the bill. */
  addToBill(lines: readonly BillLine[]): Promise<void>
  /** What calls of programs and questions to the proxy used and cost, the largest sum first. Tries of operations have their own records. */
  bill(query?: BillQuery): Promise<readonly BillRow[]>

  /** A small piece of JSON stored under a name; undefined if there is none. */
  setting(name: string): Promise<unknown>
  /** `undefined` removes it. */
  setSetting(name: string, value: unknown): Promise<void>

  /** Health of providers, shared by all processes. */
  readonly providers: ProviderStore

  /** Large results, if the ledger keeps them; else they are files in the data folder of the host that ran the operation. */
  readonly results?: ResultStore

  /** Deletes old ended operations and old events, in small steps. An abort stops between two steps. */
  prune(policy?: PrunePolicy, signal?: AbortSignal): Promise<Pruned>
  /**
   * Returns space left by deleted rows to the disk, in steps short enough that nothing waits long, and resolves with
   * the number of bytes. Keeps an eighth for future writes. An abort stops between two steps.
   */
  giveBack(options?: GiveBackOptions, signal?: AbortSignal): Promise<number>
  /**
   * Rewrites everything without the space left by deleted rows. Refused while a runner works or an operation runs, and
   * if the disk has too little space for a copy. An interruption leaves everything unchanged. Writes wait for it, reads
   * do not.
   */
  compact(options?: CompactOptions): Promise<Compacted>
  /** How much space it takes. */
  size(): Promise<LedgerSize>
  /** Writes a consistent copy to a file that must not exist yet, while everything continues. */
  backup(file: string): Promise<void>
  /** Verifies every promise that the rows can show. Empty if all hold. */
  check(): Promise<readonly Finding[]>
  /** Waits for pending writes, then releases everything. May be called twice. */
  close(): Promise<void>
}
