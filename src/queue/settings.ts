import { LEASE_DEFAULT_MS } from '../engine/engine.ts'
import { present } from '../failure/present.ts'
import type { BackoffName } from '../verdict/backoff.ts'

const SECOND = 1_000
const DAY = 86_400_000
/** Limit of an operation's parameters, in bytes of JSON: 1 MiB. */
const MAX_PARAMS_DEFAULT_BYTES = 1_048_576
/** Largest result stored whole, in bytes of JSON: 16 MiB. */
const MAX_RESULT_DEFAULT_BYTES = 16_777_216

/** Limits and durations of a queue. All durations are milliseconds. */
export interface QueueSettings {
  /** Whether an operation that cannot succeed now is kept for a later try; if false, it fails instead. Default true. */
  enabled?: boolean
  /** Time for tries in the process of the caller of `run`, before an operation is handed over. Default 20 s. */
  budgetMs?: number
  /** Retry limit of an operation in the queue. `run` first makes up to two retries of its own, or fewer if this is less. Default 5. */
  maxRetries?: number
  /** How the waits between retries grow. Default `adaptive`: 10, 20, 45, 90, 120 s. */
  backoff?: BackoffName
  /**
   * Retries end this long after the first failure; snoozed, held, parked and running time does not count, nor does time without a
   * runner. Default 30 min, longer if more than 5 retries need it.
   */
  retryForMs?: number
  /** How often an operation may wait for a limit to lift, or for a verification to be sure. Default 20. */
  maxSnoozes?: number
  /** Upper limit of all these waits together. Default 35 days. */
  maxWaitMs?: number
  /** How long an operation waits for a person or a runner before it expires. Default 30 days. */
  maxParkedMs?: number
  /** How long a runner may be silent before another takes over. Default 30 s. */
  leaseMs?: number
  /** Parameters above this many bytes of JSON are refused. Default 1 MiB. */
  maxParamsBytes?: number
  /** Of results above this many bytes of JSON, only the beginning is stored. Default 16 MiB. */
  maxResultBytes?: number
  /** Results above this many bytes of JSON go into a file, or are truncated. Default 64 KiB. */
  resultLimitBytes?: number
  /** Folder for results above the limit. Default: none, they are truncated. */
  resultFolder?: string
}

/** The defaults. Durations are milliseconds. */
export const QUEUE_DEFAULTS = {
  enabled: true,
  budgetMs: 20 * SECOND,
  maxRetries: 5,
  backoff: 'adaptive',
  maxSnoozes: 20,
  maxWaitMs: 35 * DAY,
  maxParkedMs: 30 * DAY,
  leaseMs: LEASE_DEFAULT_MS,
  maxParamsBytes: MAX_PARAMS_DEFAULT_BYTES,
  maxResultBytes: MAX_RESULT_DEFAULT_BYTES,
} as const satisfies QueueSettings

/** Settings with their defaults; unless set, how long retries may take depends on the operation. */
export type ResolvedSettings = Required<Omit<QueueSettings, MayBeAbsent>> & Pick<QueueSettings, MayBeAbsent>
type MayBeAbsent = 'retryForMs' | 'resultLimitBytes' | 'resultFolder'

/** The settings with defaults filled in. */
export function resolveSettings(given: QueueSettings): ResolvedSettings {
  return { ...QUEUE_DEFAULTS, ...present(given) }
}
