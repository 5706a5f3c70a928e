import type { Failure } from '../failure/failure.ts'
import type { NewAttempt } from '../ledger/attempt.ts'
import type { CitizenReport, CitizenReported } from '../ledger/citizen.ts'
import type {
  Appended,
  CancelOutcome,
  Changes,
  HandBack,
  Inserted,
  RunRecord,
  Started,
} from '../ledger/ledger.ts'
import type { Fence, NewOperation, RunningOperation } from '../ledger/operation.ts'
import type { Parking, Unparking } from '../ledger/parking.ts'
import type { Rejudged, Rejudgement } from '../ledger/rejudgement.ts'
import type { Settled, Settlement } from '../ledger/settlement.ts'
import type { RefusalCause } from '../provider/refusal.ts'

/** How long a claim lasts without a renewal, in milliseconds: 30 s. */
export const LEASE_DEFAULT_MS = 30_000

/** How long operations are left to other runners, in milliseconds: 1 h. After that, no runner seems able to run them. */
export const SKIP_FOR_MS = 3_600_000

/** A run that this runner has: it works on the operation until it settles, releases or loses it. */
export interface ClaimedRun {
  /** The operation when it was claimed. */
  operation: RunningOperation
  /** Identifies the run in every write about it. */
  fence: Fence
  /** How long it may go without a renewal, in milliseconds. */
  leaseMs: number
  /** The previous run, if its runner was lost. Record and judge what it did before any work starts. */
  lost?: Started['lost']
}

/** What a runner wants to claim. */
export interface ClaimRequest {
  /** Id of the runner. */
  runner: string
  /** What it can run. */
  capabilities: readonly string[]
  /** At most this many. */
  limit: number
  /** Length of the lease, in milliseconds. Default 30 s. */
  leaseMs?: number
  /** Other lengths for some capabilities, in milliseconds. */
  leasesMs?: Readonly<Record<string, number>>
  /** How many may run at once, across all runners. Default no limit. */
  limits?: {
    /** Operations of this capability. */
    capabilities?: Readonly<Record<string, number>>
    /** Operations that only this provider can serve. */
    providers?: Readonly<Record<string, number>>
  }
  /**
   * Ids of operations to leave to other runners, until they have been due for {@link SKIP_FOR_MS}. Runs of lost runners
   * are taken anyway. Default none.
   */
  skip?: ReadonlySet<string>
  /**
   * Runs that this runner has under way. Other leases in its name belong to runs that it gave up without being able to
   * record it, or never heard of because the answer to a claim was lost. When those leases end, they are taken over like
   * leases of other runners. Default: all of its leases are under way.
   */
  underWay?: Iterable<Fence>
}

/** The result of a claim. */
export interface Claims {
  /** Runs that this runner has now. */
  runs: readonly ClaimedRun[]
  /** When to ask again at the latest, epoch milliseconds, if nothing wakes the runner earlier. */
  nextAt?: number
}

/** The result of renewing one lease. */
export type Renewal =
  | { id: string; run: number; held: true; cancelRequested: boolean }
  /** Another runner has it, or it ended: stop working. */
  | { id: string; run: number; held: false }

/** Why a provider cannot be used. Stored with the event. */
export interface BlockReason {
  /** The kind of reason. */
  cause: RefusalCause
  /** For people, redacted. */
  reason?: string
  /** What the provider said, if it closed itself; part of `reason`. */
  said?: string
  /** True if calls go one after another, and it is not yet the next one's turn. */
  isPaced?: true
  /** The failure that calls would get. */
  failure?: Failure
}

/** What an engine can be told not to claim: everything, or one capability. */
export type StoppableClaims = { queue: true } | { capability: string }

/** What can be paused: everything, one capability, one provider, which is health's to pause, or one schedule, which is cron's. */
export type Pausable = StoppableClaims | { provider: string } | { schedule: string }

/** Everything that is paused. */
export interface Pauses {
  /** Everything. */
  queue: boolean
  /** Names of capabilities. */
  capabilities: readonly string[]
  /** Names of providers. */
  providers: readonly string[]
}

/** What maintenance did. */
export interface Maintained {
  /** Parked for a runner: no live runner has the capability. */
  parked: number
  /** Unparked: a runner with the capability is back. */
  unparked: number
  /** Dead, because they were parked too long. */
  expired: number
  /** Due times repaired after the wall clock was ahead and went back. */
  repaired: number
}

/** When maintenance moves waiting operations. */
export interface MaintainOptions {
  /** How long an operation may be due without a runner that has its capability, in milliseconds. Default 1 h. */
  parkAfterMs?: number
  /** How long an operation may stay parked, in milliseconds. Default 30 days. */
  expireAfterMs?: number
  /** An abort leaves the rest for the next time: nothing is half done between two steps. */
  signal?: AbortSignal
}

/** A run that a runner has claimed. */
export interface RunUnderWay {
  /** Id of the runner. */
  runner: string
  /** Id of the operation. */
  operation: string
  capability: string
}

/**
 * Decides when an operation is due, and who has claimed it for how long. Each method changes that and the ledger in one
 * transaction. Runs are fenced by their number: a write of any run but the last changes nothing.
 */
export interface Engine {
  /** Stores operations, to be claimed when they are due. */
  schedule(operations: readonly NewOperation[]): Promise<readonly Inserted[]>
  /** Stores an operation with its first run, leased: for work that starts at once in this process. */
  begin(operation: NewOperation, lease: { runner: string; leaseMs?: number }): Promise<Begun>
  /** Claims due operations, by priority, then time; runs of lost runners first. */
  claim(request: ClaimRequest): Promise<Claims>
  /** Extends leases from now, and returns whether a cancel was requested. */
  renew(fences: readonly Fence[]): Promise<readonly Renewal[]>
  /** Returns those of these runs that have a cancel request or were taken over; cheaper than renewing. */
  interrupted(fences: readonly Fence[]): Promise<readonly Interrupted[]>
  /** Writes an attempt that does not end its run. */
  append(fence: Fence, attempt: NewAttempt, options?: { lostRunner?: boolean }): Promise<Appended>
  /** Stores session, folder and cost as soon as they are known. False if the run is stale. */
  record(fence: Fence, record: RunRecord): Promise<boolean>
  /** Hands back a run unfinished; nothing is counted. */
  release(fence: Fence, options?: HandBack): Promise<Settled>
  /** Ends a run. */
  settle(fence: Fence, settlement: Settlement): Promise<Settled>
  /** Writes what happened to a job of another engine, in one transaction: its operation, its run, its attempt. Undefined if it has succeeded. */
  report(report: CitizenReport): Promise<CitizenReported | undefined>

  /** Cancels each operation, or asks its runner to; results in the order of the ids. */
  cancel(ids: readonly string[], reason?: string): Promise<readonly CancelOutcome[]>
  /** Revives dead operations, with fresh counters and their full history; false for one that is not dead. */
  revive(ids: readonly string[], dueAt?: number): Promise<readonly boolean[]>
  /** Schedules parked operations; false for one that is not parked. */
  unpark(ids: readonly string[], why: Unparking): Promise<readonly boolean[]>
  /** Settles a parked operation by a new verdict, without a run; undefined if it is no longer parked on that. */
  rejudge(id: string, rejudgement: Rejudgement): Promise<Rejudged>
  /** Parks scheduled operations; false for one that is not scheduled. */
  park(ids: readonly string[], why: Parking): Promise<readonly boolean[]>
  /** Changes a scheduled or parked operation. `revive`: a dead one too, which starts afresh with the changes. */
  edit(id: string, changes: Changes, options?: { revive?: boolean }): Promise<boolean>
  /** Deletes ended operations; false for one that has not ended. */
  discard(ids: readonly string[]): Promise<readonly boolean[]>

  /**
   * Blocks a provider until a time (epoch milliseconds), or until it is unblocked, and holds what needs it. Writes one
   * event, no matter how many processes report the same block.
   */
  block(provider: string, until: number | 'cleared', why?: BlockReason): Promise<void>
  /**
   * Lets one operation through although the provider is blocked until it is unblocked: it finds out whether that is over.
   * False if the provider is not blocked so, or one may go already.
   */
  letOneThrough(provider: string): Promise<boolean>
  /** Frees a provider; operations held for it return gradually. */
  unblock(provider: string): Promise<void>
  /** The blocked providers, and until when. */
  blocks(): Promise<ReadonlyMap<string, number | 'cleared'>>
  /** Stops claims of it, even after a restart; active runs continue. */
  pause(what: StoppableClaims): Promise<void>
  /** Ends a pause. */
  resume(what: StoppableClaims): Promise<void>
  /**
   * Everything that is paused. Which providers are is read from the ledger's provider state, where health keeps it: what needs
   * a paused provider is held.
   */
  pauses(): Promise<Pauses>

  /** Which runner runs what, the oldest operations first, at most this many. */
  underWay(most: number): Promise<readonly RunUnderWay[]>

  /** Maintenance. Any runner should call it about every minute. */
  maintain(options?: MaintainOptions): Promise<Maintained>

  /** Makes every runner look for work, in all processes. */
  wake(): Promise<void>
  /** Calls back when there may be something to claim. Returns a function that stops it. */
  onWork(listener: () => void): () => void
  /** Ends timers and listeners; the ledger stays open. May be called twice. */
  close(): Promise<void>
}

/** A run that must not go on: a cancel was requested, or another runner has taken it over. */
export interface Interrupted extends Fence {
  by: 'cancel' | 'lost'
}

/** The result of `begin`: a run of a new operation, or the existing operation with its key. */
export type Begun = { claimed: ClaimedRun; existing?: undefined } | { claimed?: undefined; existing: string }
