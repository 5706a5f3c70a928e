import type { Failure } from '../failure/failure.ts'
import type { NewAttempt } from '../ledger/attempt.ts'
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

/** How long a claim holds without a renewal, in milliseconds: 30 s. */
export const LEASE_DEFAULT_MS = 30_000

/** How long operations are left to other runners, in milliseconds: 1 h, after which no runner seems able to run them. */
export const SKIP_FOR_MS = 3_600_000

/** A run that this runner has: it works on the operation until it settles, releases, or loses it. */
export interface ClaimedRun {
  /** As it was when it was claimed. */
  operation: RunningOperation
  /** Names the run in every write about it. */
  fence: Fence
  /** How long it may go without being renewed, in milliseconds. */
  leaseMs: number
  /** The run before it, whose runner was lost; what it did is to be written and decided before any work starts. */
  lost?: Started['lost']
}

/** Who wants work, which, and how much. */
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
  /** How many may run at once, over all runners. Default no bound. */
  limits?: {
    /** Of operations of this capability. */
    capabilities?: Readonly<Record<string, number>>
    /** Of operations that this provider alone can serve. */
    providers?: Readonly<Record<string, number>>
  }
  /**
   * Ids of operations that are left to other runners, until they have been due for {@link SKIP_FOR_MS}. Runs of lost
   * runners are taken all the same. Default none.
   */
  skip?: ReadonlySet<string>
  /**
   * Ids of operations whose runs this very runner gave up without being able to write it down: when their leases end,
   * they are taken over as those of others are. Default none.
   */
  dropped?: ReadonlySet<string>
}

/** What was claimed. */
export interface Claims {
  /** Runs that are this runner's now. */
  runs: readonly ClaimedRun[]
  /** When to ask again at the latest, epoch milliseconds, if nothing wakes the runner before. */
  nextAt?: number
}

/** What became of one lease. */
export type Renewal =
  | { id: string; run: number; held: true; cancelRequested: boolean }
  /** Another runner has it, or it ended: stop working. */
  | { id: string; run: number; held: false }

/** Why a provider cannot be used. Stored with the event. */
export interface BlockReason {
  /** What kind of thing it is. */
  cause: RefusalCause
  /** For people, redacted. */
  reason?: string
  /** What calls would fail with. */
  failure?: Failure
}

/** What can be paused: everything, one capability, or one provider. */
export type Pausable = { queue: true } | { capability: string } | { provider: string }

/** What is paused. */
export interface Pauses {
  /** Everything. */
  queue: boolean
  /** Names of capabilities. */
  capabilities: readonly string[]
  /** Names of providers. */
  providers: readonly string[]
}

/** What housekeeping did. */
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

/** When operations that wait are moved. */
export interface MaintainOptions {
  /** How long an operation may be due without a runner that has its capability, in milliseconds. Default 1 h. */
  parkAfterMs?: number
  /** How long an operation may stay parked, in milliseconds. Default 30 days. */
  expireAfterMs?: number
  /** Abort leaves the rest for the next time: between two steps nothing is half done. */
  signal?: AbortSignal
}

/**
 * Owns when an operation is due, who has claimed it and for how long. Each verb changes that and the ledger in one
 * transaction. Runs are fenced by their number: a write of a run that is not the last one changes nothing.
 */
export interface Engine {
  /** Writes operations down, to be claimed when they are due. */
  schedule(operations: readonly NewOperation[]): Promise<readonly Inserted[]>
  /** Writes an operation down as its first run, leased: for work that starts at once in this process. */
  begin(operation: NewOperation, lease: { runner: string; leaseMs?: number }): Promise<Begun>
  /** Takes what is due, by priority, then time; runs of lost runners first. */
  claim(request: ClaimRequest): Promise<Claims>
  /** Makes leases last from now on again, and hears whether a cancel was asked for. */
  renew(fences: readonly Fence[]): Promise<readonly Renewal[]>
  /** Of these runs, those that a cancel was asked for or that were lost; cheaper than renewing. */
  interrupted(fences: readonly Fence[]): Promise<readonly Fence[]>
  /** Writes an attempt that does not end its run. */
  append(fence: Fence, attempt: NewAttempt, options?: { lostRunner?: boolean }): Promise<Appended>
  /** Keeps session, folder and cost as soon as they are known. False if the run is stale. */
  record(fence: Fence, record: RunRecord): Promise<boolean>
  /** Gives a run back unfinished; nothing is counted. */
  release(fence: Fence, options?: HandBack): Promise<Settled>
  /** Ends a run. */
  settle(fence: Fence, settlement: Settlement): Promise<Settled>

  /** Each cancelled, or asked for where it runs; in the order of the ids. */
  cancel(ids: readonly string[], reason?: string): Promise<readonly CancelOutcome[]>
  /** Dead ones start afresh, with all their history; false where one is not dead. */
  revive(ids: readonly string[], dueAt?: number): Promise<readonly boolean[]>
  /** Parked ones go on; false where one is not parked. */
  unpark(ids: readonly string[], why: Unparking): Promise<readonly boolean[]>
  /** A parked one is settled by a new verdict, without a run; undefined if it is not parked on that any more. */
  rejudge(id: string, rejudgement: Rejudgement): Promise<Rejudged>
  /** Scheduled ones are parked; false where one is not scheduled. */
  park(ids: readonly string[], why: Parking): Promise<readonly boolean[]>
  /** Changes a scheduled or parked operation. */
  edit(id: string, changes: Changes): Promise<boolean>
  /** Forgets ended ones; false where one has not ended. */
  discard(ids: readonly string[]): Promise<readonly boolean[]>

  /**
   * A provider cannot be used until then (epoch milliseconds), or until it is unblocked: what needs it is held. It is told
   * once, however many processes say the same.
   */
  block(provider: string, until: number | 'cleared', why?: BlockReason): Promise<void>
  /** It can be used again; what was held for it comes back gradually. */
  unblock(provider: string): Promise<void>
  /** Nothing of it is claimed any more, also after a restart; what runs goes on. */
  pause(what: Pausable): Promise<void>
  /** Ends a pause. */
  resume(what: Pausable): Promise<void>
  /** What is paused. */
  pauses(): Promise<Pauses>

  /** Maintenance, to be called about every minute by any runner. */
  maintain(options?: MaintainOptions): Promise<Maintained>

  /**
   * How many more operations are held than the ledger says, which is recorded when a runner claims; negative
   * where more are due.
   */
  unrecordedHolds(): Promise<number>
  /** Makes every runner look for work, in all processes. */
  wake(): Promise<void>
  /** Calls back when there may be something to claim. Returns the function that ends it. */
  onWork(listener: () => void): () => void
  /** Ends timers and listeners; the ledger stays open. May be called twice. */
  close(): Promise<void>
}

/** What begin did: a run of a new operation, or the existing operation with its key. */
export type Begun = { claimed: ClaimedRun; existing?: undefined } | { claimed?: undefined; existing: string }
