import type { Failure } from '../failure/failure.ts'
import type { PassedOver } from '../provider/gate.ts'
import type { Verdict } from '../verdict/verdict.ts'
import type { CallFailed } from './call-failed.ts'
import type { RefusedRepeat } from './remedy.ts'

/** One transition of a call; together they draw its timeline. `at` is epoch milliseconds. */
export type CallEvent = { call: string; name: string; at: number } & (
  | {
      type: 'attempt.started'
      attempt: number
      provider: string | undefined
      remainingMs: number
      passedOver: readonly PassedOver[]
    }
  | {
      type: 'attempt.failed'
      attempt: number
      provider: string | undefined
      failure: Failure
      verdict: Verdict
      durationMs: number
      costUsd: number | null
      /** Set if a second try was refused because the work may have taken effect, with what would have allowed it. */
      refusedRepeat?: RefusedRepeat
    }
  | {
      /** A policy answered a failed try with its result. */
      type: 'attempt.answered'
      attempt: number
      provider: string | undefined
      failure: Failure
      reason: string
      durationMs: number
      costUsd: number | null
    }
  | { type: 'waiting'; delayMs: number; until: number; reason: string }
  | { type: 'failed.over'; from: string | undefined; to: string; reason: string }
  | {
      type: 'settled'
      outcome: 'succeeded'
      attempts: number
      provider: string | undefined
      durationMs: number
      costUsd: number | null
    }
  | {
      /** A stream that the call gave is over, after the call has settled. */
      type: 'stream.ended'
      attempt: number
      provider: string | undefined
      /** `cancelled` means by its reader. */
      outcome: 'ended' | 'cancelled' | 'failed'
      chunks: number
      /** Since the call began. */
      durationMs: number
      costUsd: number | null
      /** What the reader got, of a stream that failed. */
      error: unknown
    }
  | {
      /** It threw what is no failure, see `passThrough`. */
      type: 'settled'
      outcome: 'passed'
      attempts: number
      provider: string | undefined
      durationMs: number
      costUsd: number | null
      error: unknown
    }
  | {
      type: 'settled'
      outcome: 'failed'
      attempts: number
      provider: string | undefined
      durationMs: number
      costUsd: number | null
      error: CallFailed
    }
)

export type CallEventType = CallEvent['type']
