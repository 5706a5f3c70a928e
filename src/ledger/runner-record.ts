/** A process that claims and runs operations, and what it can run. */
export interface RunnerRecord {
  /** Unique among all runners, including those that are gone. */
  id: string
  /** Names of its capabilities. */
  capabilities: readonly string[]
  /** For people, such as host and process. */
  label?: string
  /** When it first announced itself, epoch milliseconds. */
  startedAt: number
  /** When it last announced itself, epoch milliseconds. */
  seenAt: number
}

/** A runner not seen for this long, in milliseconds, counts as gone. */
export const RUNNER_GONE_AFTER_MS = 60_000
/**
 * A runner last seen further in the future than this, in milliseconds, counts as gone: the clock was wrong when it
 * announced itself.
 */
export const RUNNER_AHEAD_MS = 5_000
