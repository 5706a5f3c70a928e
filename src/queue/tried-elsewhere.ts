import { callFailedWithin } from '../call/call-failed.ts'
import type { Mask } from '../capability/secret/mask.ts'
import { failureOfTryElsewhere, type TryElsewhere } from '../capability/whole-try.ts'
import { workFailure } from '../capability/work.ts'
import { carriedFailure, withinCauses } from '../failure/carried.ts'
import type { ClassifyContext } from '../failure/context.ts'
import type { Failure } from '../failure/failure.ts'
import { isKnownFailure, KnownFailure } from '../failure/own-error.ts'
import { present } from '../failure/present.ts'
import type { NewAttempt } from '../ledger/attempt.ts'
import type { Verdict } from '../verdict/verdict.ts'
import type { HearBy } from './run-result.ts'
import type { SubmitOptions } from './submission.ts'

/** Options for handing over a call that was made elsewhere and failed. */
export interface HandOverOptions extends Omit<SubmitOptions, 'at' | 'unchecked'> {
  /**
   * The provider of the failed try. Its health counts the failure like any other. Default: the provider that a `CallFailed` names,
   * else the operation's only provider; else unknown, and no health is updated.
   */
  provider?: string
  /** Tries made so far, all failed; those before the last count as retries in the foreground. Default: those of a `CallFailed`, else 1. */
  tries?: number
  /** The model that was called. Default: the capability's. */
  model?: string
  /** The last sentence of `retryHint`: how to learn how it ended. Default: by command. */
  hearBy?: HearBy
  /** Names the key or login that was used; see `credential` of a call. Default: that of the provider's settings. */
  credential?: string
  /** True if the queue's own health gave the permit for the tries and has counted the failure. Default false: it is reported. */
  isReported?: boolean
}

/** The failed call, as reported by its caller. */
export type Elsewhere = Pick<
  HandOverOptions,
  'provider' | 'tries' | 'model' | 'credential' | 'isReported'
> & {
  failed: unknown
}

/** A failed call knows its failure: it was classified where all the evidence was. */
export function failureOf(failed: unknown, about: ClassifyContext, mask: Mask | undefined): Failure {
  // Its tries are stored one by one, each with its own effect and cost.
  const known = callFailedWithin(failed)?.failure
  return workFailure(
    { ended: 'threw', error: known ? new KnownFailure(known) : failed },
    about,
    mask,
  ) as Failure
}

/** What the last try cost; undefined if unknown. */
export function costOf(failed: unknown, { costUsd }: Failure): number | undefined {
  return costUsd ?? callFailedWithin(failed)?.attempts.at(-1)?.costUsd ?? undefined
}

export function providerOf({ provider, failed }: Elsewhere, pool: readonly string[]): string | undefined {
  const named = carriedFailure(failed)?.provider
  return provider ?? named ?? (pool.length === 1 ? pool[0] : undefined)
}

export function triedBy(failed: unknown, provider: string | undefined): string[] {
  const before = callFailedWithin(failed)?.attempts.flatMap(attempt => attempt.provider ?? []) ?? []
  return provider === undefined ? before : [...before, provider]
}

/** Whether there was a try at all: a call that no provider admitted shows nothing new. */
export function isTried(failed: unknown): boolean {
  return callFailedWithin(failed)?.attempts.length !== 0
}

/** What is known about the last try besides its failure. */
export function knownOf(failed: unknown): TryElsewhere {
  return { isBegun: isTried(failed), isSeen: withinCauses(failed, isKnownFailure) !== undefined }
}

/** The tries before the last one, as they are stored. */
export function earlierTries(
  capability: Parameters<typeof failureOfTryElsewhere>[0],
  { failed, tries = callFailedWithin(failed)?.attempts.length ?? 1 }: Elsewhere,
  last: NewAttempt,
): NewAttempt[] {
  return Array.from({ length: Math.max(0, tries - 1) }, (_, index) => {
    const { failure, ...attempt } = earlierTry(last, index + 1, failed)
    const whole = failure && failureOfTryElsewhere(capability, failure, { ...knownOf(failed), isBegun: true })
    return { ...attempt, ...(whole ? { failure: whole } : {}) }
  })
}

/** If only the number of tries is known, all are assumed to have failed the same way. */
function earlierTry(last: NewAttempt, number: number, failed: unknown): NewAttempt {
  const known = callFailedWithin(failed)?.attempts[number - 1]
  const again: Verdict = {
    action: 'retry',
    delayMs: 0,
    mode: 'again',
    reason: 'it was retried by its caller',
    rule: 'queue:tried_elsewhere',
  }
  // What the last try spent is known of that one only.
  const { costUsd: _cost, turns: _turns, usage: _usage, ...alike } = last
  if (!known?.failure) return { ...alike, verdict: again, note: { tried_elsewhere: number } }
  const { startedAt, durationMs, provider, model, usage, failure, verdict = again, costUsd } = known
  return {
    startedAt,
    endedAt: startedAt + durationMs,
    ...present({ provider, model, usage }),
    failure,
    verdict,
    ...(costUsd === null ? {} : { costUsd }),
    note: { tried_elsewhere: number },
  }
}
