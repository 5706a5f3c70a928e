import type { Failure } from '../../failure/failure.ts'
import type { Circumstances } from '../../verdict/circumstances.ts'
import { durationInWords } from '../../verdict/duration-words.ts'
import { hasTimeToTryAgain, mayStartOver, retryMode } from '../../verdict/second-try.ts'
import type { CancelReason, Verdict } from '../../verdict/verdict.ts'

// These bounds apply to every policy and hook, ours or the user's.

/** What can prevent a second try. */
export type BoundBy = 'abort' | 'cost' | 'effect' | 'time' | 'retries' | 'wait' | 'providers' | 'health'

/** Why a second try is not made although the policy asked for it. */
export interface Bound {
  by: BoundBy
  as: CancelReason
  why: string
  /** Circumstances that tell the policy about the bound, if it may know another way. */
  instead?: Partial<Circumstances>
}

/** Bounds of one call or operation besides its circumstances. A missing bound does not apply. */
export interface Limits {
  /** True if the caller aborted. */
  isAborted?: boolean
  /** True if its cost limit is used up. */
  isSpent?: boolean
  /** Milliseconds that a try needs to end, after the wait for it. */
  tryNeedsMs?: number
  /** The longest single wait before another try. */
  longestWait?: LongestWait
  /** How long an operation has waited in total, and how long it may. */
  snoozed?: { ms: number; mostMs: number }
  /** Asked last, before a retry: why it must not be made; undefined if it may. Asking may use up a retry. */
  refuseRetry?: (() => string | undefined) | undefined
}

export interface LongestWait {
  ms: number
  /** True if a wait of exactly `ms` is allowed. Default false. */
  isIncluded?: boolean
  /** Why a longer wait is not made. In words only if it is asked for: most failures are not bound by it. */
  why(): string
  /** True to tell the policy, when it is asked again, that only `ms` are left. Default false. */
  isAllTime?: boolean
}

/** What keeps a verdict from being acted on; undefined if nothing does. */
export function boundOf(
  verdict: Verdict,
  failure: Failure | undefined,
  circumstances: Circumstances,
  limits: Limits,
): Bound | undefined {
  const { action } = verdict
  const { durable } = circumstances
  if (action === 'park' || action === 'cancel' || (action === 'snooze' && !durable)) return undefined
  if (limits.isAborted) return { by: 'abort', as: 'cancelled', why: 'it was cancelled' }
  if (limits.isSpent) return { by: 'cost', as: 'stopped', why: 'cost limit reached' }
  if (wouldRepeat(verdict, failure, circumstances)) return EFFECT
  // In process a failover uses the caller's time; a durable operation has plenty.
  if (!durable && !hasTimeToTryAgain(circumstances))
    return { by: 'time', as: 'expired', why: 'too little of the budget is left' }
  switch (action) {
    case 'failover':
      return circumstances.otherProviderAvailable ? undefined : NO_PROVIDER
    case 'retry':
      return boundOfRetry(verdict.delayMs, circumstances, limits)
    case 'snooze':
      return boundOfSnooze(verdict.until, circumstances, limits)
  }
}

const EFFECT: Bound = {
  by: 'effect',
  as: 'unverifiable',
  why: 'it may have taken effect, and can be neither repeated, resumed nor verified',
}
const NO_PROVIDER: Bound = {
  by: 'providers',
  as: 'exhausted',
  why: 'no other provider is available',
}

function boundOfRetry(delayMs: number, circumstances: Circumstances, limits: Limits): Bound | undefined {
  const { durable, retries, maxRetries, remainingMs } = circumstances
  if (retries >= maxRetries)
    return { by: 'retries', as: 'exhausted', why: `retry limit reached (${maxRetries})` }
  const none = { maxRetries: retries }
  if (durable) {
    if (!hasTimeToTryAgain(circumstances) || delayMs >= remainingMs)
      return { by: 'time', as: 'expired', why: 'out of time for retries' }
  } else {
    const { ms = Infinity, isIncluded = false, why, isAllTime = false } = limits.longestWait ?? {}
    if (delayMs >= remainingMs && remainingMs <= ms) {
      const left = 'the wait is longer than the remaining budget'
      return { by: 'wait', as: 'expired', why: left, instead: { ...none, remainingMs } }
    }
    if (remainingMs - delayMs < (limits.tryNeedsMs ?? 0) && remainingMs <= ms) {
      const left = 'after the wait, a try could not end within the remaining budget'
      return { by: 'wait', as: 'expired', why: left, instead: { ...none, remainingMs } }
    }
    if (delayMs > ms || (delayMs === ms && !isIncluded))
      return {
        by: 'wait',
        as: 'expired',
        why: why?.() ?? '',
        instead: { ...none, ...(isAllTime ? { remainingMs: ms } : {}) },
      }
  }
  const refused = limits.refuseRetry?.()
  return refused === undefined ? undefined : { by: 'health', as: 'exhausted', why: refused, instead: none }
}

function boundOfSnooze(
  until: number,
  { now, snoozes, maxSnoozes }: Circumstances,
  { snoozed }: Limits,
): Bound | undefined {
  if (snoozes >= maxSnoozes) return { by: 'wait', as: 'exhausted', why: `snooze limit reached (${snoozes})` }
  if (!snoozed || snoozed.ms + (until - now) <= snoozed.mostMs) return undefined
  return {
    by: 'wait',
    as: 'expired',
    why: `it would wait longer than ${durationInWords(snoozed.mostMs)} in total`,
  }
}

/** Whether the verdict would repeat work that may have taken effect, without resuming or verifying it. */
function wouldRepeat(
  verdict: Extract<Verdict, { action: 'retry' | 'snooze' | 'failover' }>,
  failure: Failure | undefined,
  circumstances: Circumstances,
): boolean {
  if (mayStartOver(failure?.effect ?? 'maybe', circumstances)) return false
  if (verdict.action === 'failover' || verdict.mode !== 'resume') return true
  // For a result, only the history knows the session; without one, the next run does not begin.
  return failure ? retryMode(failure, circumstances) !== 'resume' : !circumstances.resumable
}
