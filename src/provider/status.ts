import type { Failure } from '../failure/failure.ts'
import type { BreakerPhase } from './breaker.ts'
import { BreakerCell } from './breaker-cell.ts'
import type { BlockScope } from './event.ts'
import type { ProviderHealth } from './provider-health.ts'
import type { Refusal, RefusalCause } from './refusal.ts'
import { type Level, type WindowUse, worst } from './window-use.ts'

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

export function statusOf(
  provider: ProviderHealth,
  refusal: Refusal | BreakerCell | undefined,
  now: number,
): ProviderStatus {
  const { id, quota, settings } = provider
  const state = provider.breaker.at(now)
  const windows = quota.windows(undefined, now)
  const pause = provider.pauseAt(now)
  const isRefused = refusal !== undefined && !(refusal instanceof BreakerCell)
  return {
    id,
    quota: quota.name,
    admits: !isRefused,
    ...(isRefused ? { reason: refusal.reason, cause: refusal.cause, failure: refusal.failure } : {}),
    ...(isRefused && Number.isFinite(refusal.until) ? { until: refusal.until } : {}),
    ...(pause ? { paused: pause } : {}),
    breaker: {
      state: state.state,
      failures: state.state === 'closed' ? state.failures : 0,
      ...(state.state === 'open' ? { until: state.until } : {}),
      probeInFlight: state.state === 'half_open' && state.probe !== undefined,
    },
    modelBreakers: [...provider.breakers()].flatMap(breaker => {
      const { model } = breaker
      const { state: phase, ...rest } = breaker.at(now)
      if (model === undefined || phase === 'closed') return []
      return [{ model, state: phase, ...('until' in rest ? { until: rest.until } : {}) }]
    }),
    loginRefused: provider.logins.isRefused,
    blocks: [...provider.blocks()].flatMap(cell => {
      const block = cell.at(now)
      if (!block) return []
      const { from, until, failure } = block
      return [{ scope: cell.scope, from, ...(until === null ? {} : { until }), failure }]
    }),
    paced: [...quota.paces(now)],
    level: worst(windows.map(({ level }) => level)),
    windows,
    running: provider.running,
    retryTokens: provider.bucket.tokens,
    hasProbe: settings.probe !== undefined,
  }
}
