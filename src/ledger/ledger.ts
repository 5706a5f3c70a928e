import type { ProviderStore } from '../provider/store.ts'
import type { Mode } from '../verdict/verdict.ts'
import type { Agenda, AgendaQuery } from './agenda.ts'
import type { Attempt, NewAttempt } from './attempt.ts'
import type { DeliveryReads, DeliveryWrites } from './delivery.ts'
import type { EventQuery, EventType, LedgerEvent } from './event.ts'
import type { CountOptions, Counts, OperationFilter, Page, PageRequest } from './filter.ts'
import type { LabelReads, LabelWrites } from './label.ts'
import type { NoticeReads, NoticeWrites } from './notice.ts'
import type { Fence, NewOperation, Operation } from './operation.ts'
import type { Parking, Unparking } from './parking.ts'
import type { Rejudged, Rejudgement } from './rejudgement.ts'
import type { RememberedStepReads, RememberedStepWrites } from './remembered-step.ts'
import type { RunnerRecord } from './runner-record.ts'
import type { Settled, Settlement, Stale } from './settlement.ts'
import type { UnknownReads, UnknownWrites } from './unknown.ts'
import type { Compacted, CompactOptions, Finding, GiveBackOptions, Pruned, PrunePolicy } from './upkeep.ts'
import type { WorkflowReads, WorkflowWrites } from './workflow-run.ts'

/** A connection of `pg` on which the caller has begun a transaction: a `Client`, or a `PoolClient`. */
export interface SqlClient {
  query(question: { text: string; values?: unknown[] }): Promise<{ rows: unknown[]; rowCount: number | null }>
}

/** Now for a database that answers at once, promised for one behind a network. */
export type MaybePromise<T> = T | Promise<T>

/** What inserting did: a new row, or the operation that the key stands for already. */
export interface Inserted {
  /** Id of the operation, new or old. */
  id: string
  /** False if the key stood for it already. */
  created: boolean
  /** When it is due, epoch milliseconds. */
  dueAt: number
}

/** What became known about a run while it runs. Given fields replace what was recorded before. */
export interface RunRecord {
  /** The agent's session, which a resume would continue. */
  agentSession?: string
  /** The folder that the agent works in. */
  folder?: string
  /** Who serves it: a session lives with its provider. */
  provider?: string
  /** US dollars that the run cost so far. */
  costUsd?: number
}

/** How a run is given back unfinished. */
export interface HandBack {
  /** When it is due again, epoch milliseconds. Default at once. */
  dueAt?: number
  /** Whether the next run continues the session of this one. Default `again`. */
  mode?: Mode
  /** What had been tried, if anything. */
  attempt?: NewAttempt
  /** What refused it before anything was tried, if that is why: which provider, by which rule. */
  refusal?: { rule: string; provider?: string }
  /** Why it was not finished, redacted. */
  reason?: string
}

/** What may be changed of an operation that does not run. */
export interface Changes {
  /** All of its parameters, as they are stored. Default as they are. */
  params?: unknown
  /** Integer from -10 to 10; higher ones are claimed first. Default as it is. */
  priority?: number
  /** Epoch milliseconds. Default as it is. */
  dueAt?: number
  /** Who can serve it, the preferred one first. Default as it is. */
  providers?: readonly string[]
}

/** What a cancel did: ended it, asked its runner to, or found it ended or not there. */
export type CancelOutcome = 'cancelled' | 'requested' | 'ended' | 'missing'

/** What an append did. */
export type Appended = { settled: true; event: number; number: number } | Stale

/**
 * Writes of one transaction: all of them happen, or none. An engine opens it, so that who has claimed an
 * operation and what the ledger says about it change together.
 */
export interface LedgerTransaction
  extends UnknownWrites,
    LabelWrites,
    NoticeWrites,
    DeliveryWrites,
    WorkflowWrites,
    RememberedStepWrites {
  /** Stores operations as scheduled, or finds those that their keys stand for. */
  insert(operations: readonly NewOperation[]): MaybePromise<readonly Inserted[]>
  /**
   * Makes a scheduled operation running (or a running one, taken over), with the next run number. One that was held
   * is held no more: that its provider can be used is for the engine to know.
   */
  start(id: string, takeover?: { runner: string }): MaybePromise<Started | undefined>
  /** Writes an attempt that does not end its run. `lostRunner` counts it as a retry, as does a verdict to retry. */
  append(fence: Fence, attempt: NewAttempt, options?: { lostRunner?: boolean }): MaybePromise<Appended>
  /** Keeps what became known while running. False if the run is stale. */
  record(fence: Fence, record: RunRecord): MaybePromise<boolean>
  /** Ends a run: state, attempt and event, or nothing at all if the run is stale. */
  settle(fence: Fence, settlement: Settlement): MaybePromise<Settled>
  /** Makes a running operation scheduled again, with nothing counted: its runner stops. */
  handBack(fence: Fence, options?: HandBack): MaybePromise<Settled>

  /** Ends an operation that does not run as cancelled; asks for it where it runs. */
  cancel(id: string, reason: string): MaybePromise<CancelOutcome>
  /** Makes a dead operation scheduled, with fresh counters and all its history. */
  revive(id: string, dueAt?: number): MaybePromise<boolean>
  /** Makes a parked operation scheduled: what it waited for is there. */
  unpark(id: string, why: Unparking): MaybePromise<boolean>
  /** Parks a scheduled operation that no runner could run. */
  park(id: string, why: Parking): MaybePromise<boolean>
  /** Settles a parked operation by a new verdict, without a run: state, attempt and event, or nothing at all. */
  rejudge(id: string, rejudgement: Rejudgement): MaybePromise<Rejudged>
  /** Ends a parked operation that waited too long. */
  expire(id: string, reason: string): MaybePromise<boolean>
  /** Changes a scheduled or parked operation; a parked one stays parked. */
  edit(id: string, changes: Changes): MaybePromise<boolean>
  /** Takes scheduled operations out of what is due, until a provider is free. Gives how many it was not holding yet. */
  hold(ids: readonly string[], provider: string): MaybePromise<number>
  /** Puts held operations back. Gives how many were held. */
  free(ids: readonly string[]): MaybePromise<number>
  /**
   * Forgets an ended operation and all that belongs to it; one event says that it was there. One that is a step of a
   * workflow stays until its end has been recorded with the workflow's run.
   */
  discard(id: string): MaybePromise<boolean>
  /** Writes what happened to the queue, a capability or a provider as a whole. */
  tell(type: EventType, data: Record<string, unknown>): MaybePromise<number>
  /**
   * Moves a consumer's cursor, if it is still at `from`. Called first, it guards all that follows: whoever gets false
   * writes nothing, because another process has done it.
   */
  moveCursor(consumer: string, from: number, to: number): MaybePromise<boolean>
}

/** A run that begins: the operation as it is now, and what a lost run before it left behind. */
export interface Started {
  /** As it is now, with the number of the new run. */
  operation: Operation & { state: 'running' }
  /** The run that was taken over, with what had been recorded of it. */
  lost?: RunRecord & { run: number; startedAt: number }
}

/**
 * The durable record of operations, attempts, events, provider state, runners, unknowns, labels, notices and workflow
 * runs. Every verb is asynchronous and safe from several processes at once; what has resolved is written.
 */
export interface Ledger
  extends UnknownReads,
    LabelReads,
    NoticeReads,
    DeliveryReads,
    WorkflowReads,
    RememberedStepReads {
  /** Runs the writes of one transaction. The work may be called more than once: it has no other effects. */
  transaction<T>(work: (writes: LedgerTransaction) => MaybePromise<T>): Promise<T>

  /**
   * Runs the writes within a transaction that the caller has begun on the same server: they are kept when that is committed.
   * Absent where there is no server.
   */
  within?<T>(client: SqlClient, work: (writes: LedgerTransaction) => MaybePromise<T>): Promise<T>

  /** One operation; undefined if there is none of this id. */
  get(id: string): Promise<Operation | undefined>
  /** The operation that a key stands for. */
  find(capability: string, key: string): Promise<Operation | undefined>
  /** All tries of an operation, oldest first. */
  attempts(id: string): Promise<readonly Attempt[]>
  /** Everything that happened to an operation, oldest first. */
  timeline(id: string): Promise<readonly LedgerEvent[]>
  /** Operations, newest first, a page at a time. */
  list(filter?: OperationFilter, page?: PageRequest): Promise<Page<Operation>>
  /** How many operations match. */
  counts(filter?: OperationFilter, options?: CountOptions): Promise<Counts>
  /** When the next operation that is not held comes due, epoch milliseconds. */
  nextDueAt(): Promise<number | undefined>
  /** How many scheduled operations come due when, and for which providers others wait. */
  agenda(query: AgendaQuery): Promise<Agenda>

  /** Events in their order. */
  events(query?: EventQuery): Promise<readonly LedgerEvent[]>
  /** Id of the last event; 0 without any. */
  lastEvent(): Promise<number>
  /** Up to where a consumer has read; 0 if it never did. */
  cursor(consumer: string): Promise<number>
  /**
   * Moves a consumer's cursor, if it is still at `from`: false if another process moved it. Events that it has not passed
   * are kept for it; moved to 0, the consumer is forgotten.
   */
  moveCursor(consumer: string, from: number, to: number): Promise<boolean>
  /** Calls back soon (within a second between processes) after anything was written. Returns the function that ends it. */
  onChange(listener: () => void): () => void

  /** Says that a runner is there, and what it can run. To be repeated well within a minute. */
  advertise(runner: Omit<RunnerRecord, 'startedAt' | 'seenAt'>): Promise<void>
  /** Says that a runner is gone, so that nothing waits for it. */
  withdraw(runner: string): Promise<void>
  /** Runners that were seen in the last minute. */
  runners(): Promise<readonly RunnerRecord[]>

  /** A small piece of JSON kept under a name; undefined if there is none. */
  setting(name: string): Promise<unknown>
  /** `undefined` removes it. */
  setSetting(name: string, value: unknown): Promise<void>

  /** Health of providers, shared by all processes. */
  readonly providers: ProviderStore

  /** Forgets old ended operations and old events, in small steps. Abort stops between two of them. */
  prune(policy?: PrunePolicy, signal?: AbortSignal): Promise<Pruned>
  /**
   * Gives room that forgotten rows have left back to the disk, in steps so small that nothing waits long for one, and says how
   * many bytes. An eighth stays for what comes next. Abort stops between two steps.
   */
  giveBack(options?: GiveBackOptions, signal?: AbortSignal): Promise<number>
  /**
   * Rewrites everything without the room that forgotten rows have left. Refused while a runner works or an operation is
   * run, and where the disk has too little room for a copy; whatever ends it half-way leaves everything as it was.
   * Writes wait for it, reads do not.
   */
  compact(options?: CompactOptions): Promise<Compacted>
  /** Writes a consistent copy to a file that does not exist yet, while everything goes on. */
  backup(file: string): Promise<void>
  /** Verifies every promise that can be read from the rows. Empty if all hold. */
  check(): Promise<readonly Finding[]>
  /** Waits for writes under way, then lets go of everything. May be called twice. */
  close(): Promise<void>
}
