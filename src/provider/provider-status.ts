import type { Failure } from '../failure/failure.ts'
import type { BreakerPhase } from './breaker.ts'
import type { BlockScope } from './event.ts'
import type { RefusalCause } from './refusal.ts'
import type { Level, WindowUse } from './window-use.ts'

/** Everything about one provider that a person may want to see. Times are in epoch milliseconds. */
export interface ProviderStatus {
  id: string
  quota: string
  /** Whether a call without a model would be admitted now. */
  admits: boolean
  /** Why it would not be. */
  reason?: string
  /** The kind of reason. */
  cause?: RefusalCause
  /** What it said, if it closed itself; part of `reason`. */
  said?: string
  /** True if calls go one after another, and it is not yet the next one's turn. */
  isPaced?: true
  /** What a call would fail with now. */
  failure?: Failure
  /** When it would be admitted, if known. */
  until?: number
  paused?: { at: number; reason?: string; until?: number }
  breaker: { state: BreakerPhase; failures: number; until?: number; probeInFlight: boolean }
  /** Breakers of single models that are not closed. */
  modelBreakers: { model: string; state: BreakerPhase; until?: number }[]
  /** True if its login was refused and has not served since, even if the block is over. */
  loginRefused: boolean
  blocks: { scope: BlockScope; from: number; until?: number; failure: Failure }[]
  /** Limits without a stated time: nobody goes before `until`, then calls follow one after another. */
  paced: { model?: string; at: number; until: number; perMinute?: number; failure: Failure }[]
  /** The level of its fullest window. */
  level: Level
  windows: WindowUse[]
  /** Running calls of this process. */
  running: number
  /** Tokens left for retries. */
  retryTokens: number
  hasProbe: boolean
}
