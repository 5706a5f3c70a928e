import type { Failure } from '../failure/failure.ts'
import { type Authority, SPEAKERS } from '../failure/speaker.ts'
import type { HealthMark } from './policy.ts'

// How far a failure's speaker is heard. A failure without one was made by Mulligan or recorded by an earlier version.

/** The longest time that the failure's speaker can state, in milliseconds. */
export function longestTimeMs({ evidence: { clock } }: Failure): number {
  return clock === undefined ? Infinity : SPEAKERS[clock].longestTimeMs
}

/** True if the failure's speaker cannot block a provider for as long as the failure may last. */
export function blocksShortly(failure: Failure): boolean {
  return authorityOf(failure).longestBlockMs < Infinity
}

/** What the strongest speaker of a failure may decide. */
function authorityOf({ evidence: { speaker, backer } }: Failure): Authority {
  return SPEAKERS[backer ?? speaker ?? 'us']
}

/** The mark as far as the failure's speaker may set it. */
export function asFarAsHeard(mark: HealthMark, failure: Failure, now: number): HealthMark {
  const { longestBlockMs, blocksForMoney } = authorityOf(failure)
  if (longestBlockMs === Infinity || mark.blockUntil === undefined) return mark
  if (wasServed(failure)) return { breaker: mark.breaker }
  if (blocksForMoney && failure.class === 'throttle' && failure.kind === 'billing') return mark
  const isStated = failure.resetAt !== undefined || failure.retryAfterMs !== undefined
  const { clock } = failure.evidence
  // A stated time is heard as far as the one who stated it; but somebody behind the provider speaks of this call only.
  const timeMs = isStated && clock !== undefined ? timeForOthers(clock) : longestBlockMs
  const until = mark.blockUntil === 'cleared' ? Infinity : mark.blockUntil
  return {
    ...mark,
    blockUntil: Math.min(until, now + Math.max(timeMs, longestBlockMs)),
    ...(mark.fillWindows ? { fillWindows: timeMs === Infinity } : {}),
  }
}

/** True for a run whose answer sounds like a refusal, although turns were served and paid. */
function wasServed({ evidence: { speaker, backer }, turns = 0, costUsd = 0 }: Failure): boolean {
  return (backer ?? speaker) === 'model' && (turns > 1 || costUsd > 0)
}

function timeForOthers(clock: keyof typeof SPEAKERS): number {
  const { longestTimeMs, blocksForMoney, longestBlockMs } = SPEAKERS[clock]
  return blocksForMoney ? longestTimeMs : longestBlockMs
}
