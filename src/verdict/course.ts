import type { Failure } from '../failure/failure.ts'
import { backoffMs, jitterMs } from './backoff.ts'
import type { Circumstances } from './circumstances.ts'
import { blocksShortly, longestTimeMs } from './heard.ts'
import { hasTimeToTryAgain, livesInSession, mayStartOver, mayTryAgain, retryMode } from './second-try.ts'
import { timesMet, unstatedWaitMs } from './unstated-wait.ts'
import type { CancelReason, Mode, ParkReason, Verdict } from './verdict.ts'

/** A verdict without its rule, which the table adds; or the bound that forbids the course. */
export type Taken =
  | { verdict: Untitled }
  | { refused: 'exhausted' | 'expired' | 'unverifiable' | 'impossible' }
type Untitled = Verdict extends infer V ? (V extends Verdict ? Omit<V, 'rule'> : never) : never

/** One course of a table row: in words for the docs, and as a function. */
export interface Course {
  words: string
  take(failure: Failure, circumstances: Circumstances): Taken
}

const IMPOSSIBLE: Taken = { refused: 'impossible' }

/** Waits for the time the provider stated, if it is short or no other provider is available. */
export const wait: Course = {
  words: 'wait if it fits and (no other provider is available or the wait is ≤ 5 s)',
  take(failure, circumstances) {
    const delayMs = Math.max(
      0,
      (statedReset(failure, circumstances.now) ?? circumstances.now) - circumstances.now,
    )
    if (circumstances.otherProviderAvailable && delayMs > SHORT_WAIT_MS) return IMPOSSIBLE
    const who = failure.origin === 'gate' ? 'no provider can serve it' : 'the provider asked to wait'
    return retried(failure, circumstances, delayMs, `${who} until ${momentOf(circumstances.now + delayMs)}`)
  },
}

/** Stated waits up to this are waited out even if another provider could take over. */
export const SHORT_WAIT_MS = 5_000

/** Waits for a turn with the same provider, which lets calls through one after another. */
export const inLine: Course = {
  words: 'in line while it fits (durable: held, not snoozed)',
  take: (failure, circumstances) => takePlace(failure, circumstances, Infinity),
}

export const inLineBriefly: Course = {
  words: 'pause ≤ 5 s: wait in line',
  take: (failure, circumstances) => takePlace(failure, circumstances, SHORT_WAIT_MS),
}

/** How long an operation waits that was refused although its provider takes others, in milliseconds. */
const MOMENT_MS = 1_000

function takePlace(failure: Failure, circumstances: Circumstances, mostMs: number): Taken {
  const { now, availableAt, durable, otherProviderAvailable, backoff, random } = circumstances
  // The provider takes others, or another of the pool does, so there is no line. If it has one after all, its gate knows.
  const isFree = availableAt !== undefined && availableAt <= now
  // Nor for a call or an operation without a provider, or one of somebody else's engine.
  if (availableAt === undefined || (isFree && !durable)) {
    if (mostMs !== Infinity) return durable ? IMPOSSIBLE : retryWithBackoff(failure, circumstances)
    return durable ? snooze.take(failure, circumstances) : IMPOSSIBLE
  }
  const delayMs = Math.max(0, availableAt - now)
  if (otherProviderAvailable && delayMs > mostMs) return IMPOSSIBLE
  if (!durable) return retried(failure, circumstances, delayMs, 'waits in line')
  if (!mayTryAgain(failure, circumstances)) return { refused: 'unverifiable' }
  const mode = retryMode(failure, circumstances)
  const reason = `${failure.kind}: waits in line${resuming(mode)}`
  const momentMs = MOMENT_MS + jitterMs(backoff, MOMENT_MS, random)
  const until = isFree ? now + momentMs : Math.max(availableAt, now + 1)
  return { verdict: { action: 'snooze', until, mode, held: true, reason } }
}

export const retry: Course = {
  words: 'retry while it fits, waiting the longer of backoff and a stated time',
  take: retryWithBackoff,
}

export const retryIfNothingDone: Course = {
  words: 'retry only if nothing can have been done yet',
  take: (failure, circumstances) =>
    failure.effect === 'none' ? retryWithBackoff(failure, circumstances) : IMPOSSIBLE,
}

export const retryIfRepeatable: Course = {
  words: 'retry while it fits if repeatable, or if nothing can have been done yet',
  take(failure, circumstances) {
    const { effect, code = '' } = failure
    // Some report by name that a write may be there: to repeat it is for those who can check.
    const isRepeatable = circumstances.repeatable && !/uncertain/i.test(code)
    if (isRepeatable || effect === 'none') return retryWithBackoff(failure, circumstances)
    return mayTryAgain(failure, circumstances) ? IMPOSSIBLE : { refused: 'unverifiable' }
  },
}

export const retryIfAsked: Course = {
  words: 'retry if the caller set maxRetries explicitly',
  take: (failure, circumstances) =>
    circumstances.retriesAsked ? retryWithBackoff(failure, circumstances) : IMPOSSIBLE,
}

function retryWithBackoff(failure: Failure, circumstances: Circumstances): Taken {
  const { durable, backoff, retries, random, now, remainingMs } = circumstances
  const stated = statedReset(failure, now)
  const plainMs = backoffMs(backoff, retries, random)
  // In process our own wait is cut rather than the try given up.
  const stepMs = durable ? plainMs : Math.min(plainMs, remainingMs / 2)
  const jitter = durable ? jitterMs(backoff, stepMs, random) : 0
  const delayMs = Math.max(stepMs, stated === undefined ? 0 : stated - now) + jitter
  return retried(failure, circumstances, delayMs, 'may be temporary')
}

function retried(failure: Failure, circumstances: Circumstances, delayMs: number, why: string): Taken {
  const { retries, maxRetries, remainingMs } = circumstances
  if (!mayTryAgain(failure, circumstances)) return { refused: 'unverifiable' }
  if (retries >= maxRetries) return { refused: 'exhausted' }
  if (!hasTimeToTryAgain(circumstances) || delayMs >= remainingMs) return { refused: 'expired' }
  const mode = retryMode(failure, circumstances)
  return {
    verdict: {
      action: 'retry',
      delayMs,
      mode,
      reason: `${failure.kind}: ${why}; retry ${retries + 1} of ${maxRetries}${resuming(mode)}`,
    },
  }
}

export const failover: Course = {
  words: 'failover',
  take(failure, circumstances) {
    if (!circumstances.otherProviderAvailable) return IMPOSSIBLE
    // A session lives with its provider: what it may have done can only be continued there.
    const onlyResumable = !circumstances.repeatable && livesInSession(failure, circumstances)
    // What was said there would be paid for again.
    if (failure.effect === 'none' && canResume(failure, circumstances)) return IMPOSSIBLE
    if (onlyResumable || !mayStartOver(failure.effect, circumstances)) return { refused: 'unverifiable' }
    if (!hasTimeToTryAgain(circumstances)) return { refused: 'expired' }
    return { verdict: { action: 'failover', reason: `${failure.kind}: another provider is available` } }
  },
}

/** A session is continued where it lives: what it did need not be paid for twice. */
export const failoverUnlessResumed: Course = {
  words: 'failover at once where that is safe',
  take: (failure, circumstances) =>
    retryMode(failure, circumstances) === 'resume' ? IMPOSSIBLE : failover.take(failure, circumstances),
}

/** Whether the session of a failure can still be resumed in the time and retries that are left. */
function canResume(failure: Failure, circumstances: Circumstances): boolean {
  const { class: cls } = failure
  if (retryMode(failure, circumstances) !== 'resume') return false
  if (cls === 'transient' || cls === 'timeout') return 'verdict' in retryWithBackoff(failure, circumstances)
  const { durable, now, remainingMs } = circumstances
  const stated = cls === 'throttle' && durable ? statedReset(failure, now) : undefined
  return stated !== undefined && stated - now < remainingMs
}

export const failoverIfRepeatable: Course = {
  words: 'failover if repeatable',
  take: (failure, circumstances) =>
    circumstances.repeatable ? failover.take(failure, circumstances) : IMPOSSIBLE,
}

/** Comes back when a provider of the pool admits, else at the stated time, else after a growing wait. */
export const snooze: Course = {
  words: 'snooze until a provider admits, else until the stated time, else for a growing wait',
  take(failure, circumstances) {
    const { now, snoozes, maxSnoozes, availableAt } = circumstances
    if (!mayTryAgain(failure, circumstances)) return { refused: 'unverifiable' }
    if (snoozes >= maxSnoozes) return { refused: 'exhausted' }
    const growing = now + unstatedWaitMs(failure.kind, timesMet(circumstances))
    const stated = statedReset(failure, now)
    // A provider that is not blocked as long as this failure lasts must not be asked in vain until the snoozes are used up.
    const isShort = stated === undefined && blocksShortly(failure)
    const planned = isShort ? Math.max(availableAt ?? 0, growing) : (availableAt ?? stated ?? growing)
    // A time that has just passed means "at once", but a snooze must end after now.
    const until = Math.max(planned, now + 1)
    const mode = retryMode(failure, circumstances)
    return {
      verdict: {
        action: 'snooze',
        until,
        mode,
        reason: `${failure.kind}: should work again at ${momentOf(until)}${resuming(mode)}`,
      },
    }
  },
}

export function park(reason: ParkReason, why: string): Course {
  const origin = reason === 'login' || reason === 'payment' ? { origin: 'provider' as const } : {}
  return {
    words: `park for ${reason === 'label' ? 'a label' : reason}`,
    take: failure => ({
      verdict: { action: 'park', for: reason, ...origin, reason: `${failure.kind}: ${why}` },
    }),
  }
}

/** Waiting for a person helps only what may run a second time. */
export function parkIfItMayRun({ words, take }: Course): Course {
  return {
    words: `${words}, if it may run again; else cancel, unverifiable`,
    take: (failure, circumstances) =>
      mayTryAgain(failure, circumstances) ? take(failure, circumstances) : { refused: 'unverifiable' },
  }
}

export function cancel(as: CancelReason, words: string, why: string): Course {
  return {
    words,
    take: failure => ({ verdict: { action: 'cancel', as, reason: `${failure.kind}: ${why}` } }),
  }
}

function resuming(mode: Mode): string {
  return mode === 'resume' ? ', resuming its session' : ''
}

/** A point in time in a reason, to the second: a reason is kept, and read long after a distance to it is wrong. */
function momentOf(at: number): string {
  return new Date(Math.ceil(at / 1_000) * 1_000).toISOString().replace('.000Z', 'Z')
}

/**
 * When the provider says it works again, in epoch milliseconds; undefined if it does not say. A time that somebody else
 * wrote counts only as far as that speaker is heard.
 */
export function statedReset(failure: Failure, now: number): number | undefined {
  const at = failure.resetAt ?? (failure.retryAfterMs === undefined ? undefined : now + failure.retryAfterMs)
  const longestMs = longestTimeMs(failure)
  return at === undefined || longestMs === 0 ? undefined : Math.min(at, now + longestMs)
}
