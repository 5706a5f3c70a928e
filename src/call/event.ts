import type { Failure } from '../failure/failure.ts'
import type { TokenUsage } from '../failure/stream/usage.ts'
import type { PassedOver } from '../provider/gate.ts'
import type { Verdict } from '../verdict/verdict.ts'
import type { CallFailed } from './call-failed.ts'
import type { RefusedRepeat } from './second-try.ts'

/** One transition of a call; together they form its timeline. `at` is in epoch milliseconds. */
export type CallEvent = { call: string; name: string; at: number } & (
  | {
      type: 'attempt.started'
      /** Of an operation: its capability. */
      capability?: string
      /** Of an operation: names of its parameters. Their values may be secret. */
      params?: readonly string[]
      /** Of an operation: `meta` of its parameters, redacted. */
      meta?: Readonly<Record<string, unknown>>
      attempt: number
      provider: string | undefined
      remainingMs: number
      passedOver: readonly PassedOver[]
    }
  | {
      type: 'attempt.failed'
      attempt: number
      provider: string | undefined
      /** The model that answered, or was asked, if known. */
      model: string | undefined
      failure: Failure
      verdict: Verdict
      /** What it used all the same, if it says so. */
      usage: TokenUsage | undefined
      durationMs: number
      costUsd: number | null
      /** Set if a second try was refused because the work may have taken effect; says what would have allowed it. */
      refusedRepeat?: RefusedRepeat
    }
  | {
      /** A policy answered a failed try with a result. */
      type: 'attempt.answered'
      attempt: number
      provider: string | undefined
      /** The model that answered, or was asked, if known. */
      model: string | undefined
      failure: Failure
      reason: string
      usage: TokenUsage | undefined
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
      /** The model that answered, or was asked, if known. */
      model: string | undefined
      /** What the answer used, if it says so. Of a stream it is known at its end. */
      usage: TokenUsage | undefined
      /** True if the call returned a stream, whose end is told by `stream.ended`. */
      isStream: boolean
      durationMs: number
      costUsd: number | null
    }
  | {
      /** A stream that the call returned has ended, after the call settled. */
      type: 'stream.ended'
      attempt: number
      provider: string | undefined
      /** `cancelled` means by its reader. */
      outcome: 'ended' | 'cancelled' | 'failed'
      chunks: number
      model: string | undefined
      usage: TokenUsage | undefined
      /** Since the call began. */
      durationMs: number
      costUsd: number | null
      /** What the reader of a failed stream got. */
      error: unknown
    }
  | {
      /** It threw control flow, not a failure; see `passThrough`. */
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
