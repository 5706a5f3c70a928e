/**
 * What to forget. Of operations only ended ones are ever forgotten, with all that belongs to them; notices go when their
 * own time is over.
 */
export interface PrunePolicy {
  /** Succeeded ones that ended longer ago than this, in milliseconds. Default 7 days. */
  succeededAfterMs?: number
  /** Dead ones that ended longer ago than this, in milliseconds. Default 30 days. */
  deadAfterMs?: number
  /**
   * Events of the queue, of capabilities and of providers from longer ago than this, in milliseconds, that every
   * consumer's cursor has passed; at least a minute. Default 30 days.
   */
  eventsAfterMs?: number
  /** Workflow runs that ended longer ago than this, in milliseconds, with the results of their steps. Default 30 days. */
  workflowsAfterMs?: number
  /** Keep at most so many succeeded ones, those submitted last. Default no bound. */
  keepSucceeded?: number
  /** Keep at most so many dead ones, those submitted last. Default no bound. */
  keepDead?: number
  /** Operations, events or workflow runs deleted in one transaction, so that others do not wait long. Default 200. */
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

/** How many were forgotten. */
export interface Pruned {
  succeeded: number
  dead: number
  /** Events that belonged to no operation. */
  events: number
  /** Notices whose time was over, with their deliveries. */
  notices: number
  /** Workflow runs, with their steps. */
  workflows: number
}

/** How much room to give back. */
export interface GiveBackOptions {
  /** At most this many bytes. Default all but what is kept for what comes next. */
  mostBytes?: number
}

/** How a compaction is followed. */
export interface CompactOptions {
  /** Told now and then how many bytes of the rewritten ledger are written, of how many. Default none. */
  onProgress?: (progress: { bytes: number; ofBytes: number }) => void
}

/** What a compaction did. */
export interface Compacted {
  /** Bytes that the ledger took before. */
  beforeBytes: number
  /** Bytes that it takes now. */
  afterBytes: number
}

/** A promise of the ledger that does not hold. */
export interface Finding {
  /** Which promise, by name. */
  rule: string
  /** What is wrong, with the operation or row. */
  message: string
}
