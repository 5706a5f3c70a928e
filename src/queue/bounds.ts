import type { Capability } from '../capability/capability.ts'
import type { Operation } from '../ledger/operation.ts'
import { type BackoffName, longestWaitsMs } from '../verdict/backoff.ts'
import { QUEUE_DEFAULTS, type ResolvedSettings } from './settings.ts'

/** How long retries may take by default, in milliseconds: 30 min for the usual number of them. */
export const RETRY_FOR_DEFAULT_MS = 1_800_000

/** How often and how long an operation is retried. */
export interface RetryBounds {
  maxRetries: number
  /** Whether `maxRetries` was set for this operation or its capability. */
  isAsked: boolean
  backoff: BackoffName
  retryForMs: number
}

/** What holds for an operation: what it was submitted with, else what its capability says, else the queue. */
export function retryBounds(
  operation: Pick<Operation, 'maxRetries' | 'retryForMs'>,
  capability: Pick<Capability, 'maxRetries' | 'backoff' | 'retryForMs'>,
  settings: ResolvedSettings,
): RetryBounds {
  const asked = operation.maxRetries ?? capability.maxRetries
  const maxRetries = asked ?? settings.maxRetries
  const backoff = capability.backoff ?? settings.backoff
  const retryForMs =
    operation.retryForMs ??
    capability.retryForMs ??
    settings.retryForMs ??
    retryForDefaultMs(maxRetries, backoff)
  return { maxRetries, isAsked: asked !== undefined, backoff, retryForMs }
}

/**
 * Many retries need their waits too: each retry beyond the usual number widens the time by the
 * longest wait that may come before it.
 */
function retryForDefaultMs(maxRetries: number, backoff: BackoffName): number {
  const usual = longestWaitsMs(backoff, Math.min(maxRetries, QUEUE_DEFAULTS.maxRetries))
  return RETRY_FOR_DEFAULT_MS + longestWaitsMs(backoff, maxRetries) - usual
}
