/**
 * What to delete. Only ended operations are ever deleted, with everything that belongs to them. Notices are deleted
 * when they expire.
 */
export interface PrunePolicy {
  /** Delete succeeded operations that ended longer ago than this, in milliseconds. Default 7 days. */
  succeededAfterMs?: number
  /** Delete dead operations that ended longer ago than this, in milliseconds. Default 30 days. */
  deadAfterMs?: number
  /**
   * Delete events of the queue, of capabilities and of providers that are older than this, in milliseconds, and that
   * every consumer's cursor has passed; at least a minute. Default 30 days.
   */
  eventsAfterMs?: number
  /**
   * Delete workflow runs that ended longer ago than this, in milliseconds, with the results of their steps. Default 30
   * days.
   */
  workflowsAfterMs?: number
  /** Keep at most this many succeeded operations, the last submitted ones. Default no limit. */
  keepSucceeded?: number
  /** Keep at most this many dead operations, the last submitted ones. Default no limit. */
  keepDead?: number
  /**
   * Operations, events or workflow runs deleted in one transaction; small, so that others do not wait long. Default
   * 200.
   */
  step?: number
}

/** How long succeeded operations are kept, in milliseconds: 7 days. */
export const SUCCEEDED_AFTER_DEFAULT_MS = 7 * 86_400_000
/** How long dead operations are kept, in milliseconds: 30 days. */
export const DEAD_AFTER_DEFAULT_MS = 30 * 86_400_000

/** How long events that belong to no operation are kept, in milliseconds: 30 days. */
export const EVENTS_AFTER_DEFAULT_MS = 30 * 86_400_000

/** How long ended workflow runs are kept, in milliseconds: 30 days. */
export const WORKFLOWS_AFTER_DEFAULT_MS = 30 * 86_400_000

/** How many rows were deleted. */
export interface Pruned {
  succeeded: number
  dead: number
  /** Events that belonged to no operation. */
  events: number
  /** Expired notices, with their deliveries. */
  notices: number
  /** Workflow runs, with their steps. */
  workflows: number
}

/** How much space to give back. */
export interface GiveBackOptions {
  /** At most this many bytes. Default: all but the reserve for future writes. */
  mostBytes?: number
}

/** How much space a ledger takes. */
export interface LedgerSize {
  /** Its tables and indices, in bytes, with the space that new rows will use. */
  bytes: number
  /** Of these, what nothing is in. Absent where the server does not say. */
  freeBytes?: number
}

/** How to follow a compaction. */
export interface CompactOptions {
  /** Called now and then with the bytes of the rewritten ledger written so far, and the total. Default none. */
  onProgress?: (progress: { bytes: number; ofBytes: number }) => void
}

/** The result of a compaction. */
export interface Compacted {
  /** Size of the ledger before, in bytes. */
  beforeBytes: number
  /** Size of the ledger now, in bytes. */
  afterBytes: number
}

/** A broken promise of the ledger. */
export interface Finding {
  /** Name of the promise. */
  rule: string
  /** What is wrong, and with which operation or row. */
  message: string
}
