import type { Capability } from '../capability/capability.ts'
import type { Operation } from '../ledger/operation.ts'
import { type BackoffName, longestWaitsMs } from '../verdict/backoff.ts'
import { QUEUE_DEFAULTS, type ResolvedSettings } from './settings.ts'

/** How long retries may take by default, in milliseconds: 30 min for the default number of retries. */
export const RETRY_FOR_DEFAULT_MS = 1_800_000

/** How often and how long an operation is retried. */
export interface RetryBounds {
  maxRetries: number
  /** Whether `maxRetries` was set for this operation or its capability. */
  isAsked: boolean
  backoff: BackoffName
  retryForMs: number
}

/** The bounds of an operation: those it was submitted with, else its capability's, else the queue's. */
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

/** Many retries need time for their waits: each retry beyond the default number adds the longest wait that may precede it. */
function retryForDefaultMs(maxRetries: number, backoff: BackoffName): number {
  const usual = longestWaitsMs(backoff, Math.min(maxRetries, QUEUE_DEFAULTS.maxRetries))
  return RETRY_FOR_DEFAULT_MS + longestWaitsMs(backoff, maxRetries) - usual
}
