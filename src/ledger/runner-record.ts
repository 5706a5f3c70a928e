/** A process that claims and runs operations, and what it can run. */
export interface RunnerRecord {
  /** Unique among all runners, also those that are gone. */
  id: string
  /** Names of its capabilities. */
  capabilities: readonly string[]
  /** For people: the host and process, for example. */
  label?: string
  /** When it first said that it is there, epoch milliseconds. */
  startedAt: number
  /** When it last said that it is there, epoch milliseconds. */
  seenAt: number
}

/** A runner that has not been seen for this long, in milliseconds, is taken for gone. */
export const RUNNER_GONE_AFTER_MS = 60_000
/** Seen later than this from now, in milliseconds, it was not: the clock was wrong when it said so. */
export const RUNNER_AHEAD_MS = 5_000
