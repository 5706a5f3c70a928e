import type { Failure } from '../failure/failure.ts'
import type { BreakerPhase } from './breaker.ts'
import type { BlockScope } from './event.ts'
import type { ProviderHealth } from './provider-health.ts'
import { type Level, type Reading, worst } from './reading.ts'

/** Everything about one provider that a person may want to see. Times are epoch milliseconds. */
export interface ProviderStatus {
  id: string
  quota: string
  /** Whether a call without a model would be admitted now. */
  admits: boolean
  /** Why not, in words. */
  reason?: string
  /** When it would be, if that is known. */
  until?: number
  paused?: { at: number; reason?: string }
  breaker: { state: BreakerPhase; failures: number; until?: number; probeInFlight: boolean }
  blocks: { scope: BlockScope; from: number; until?: number; failure: Failure }[]
  /** The worst of its readings. */
  level: Level
  readings: Reading[]
  /** Calls of this process that run. */
  running: number
  /** Tokens left for retries. */
  retryTokens: number
  hasProbe: boolean
}

export function statusOf(provider: ProviderHealth, now: number): ProviderStatus {
  const { id, quota, settings } = provider
  const refusal = provider.refusal(undefined, now)
  const state = provider.breakerAt(now)
  const readings = quota.readings(undefined, now)
  const pause = provider.pause.value
  const isRefused = refusal !== undefined && refusal !== 'probe'
  return {
    id,
    quota: quota.name,
    admits: !isRefused,
    ...(isRefused ? { reason: refusal.reason } : {}),
    ...(isRefused && Number.isFinite(refusal.until) ? { until: refusal.until } : {}),
    ...(pause ? { paused: pause } : {}),
    breaker: {
      state: state.state,
      failures: state.state === 'closed' ? state.failures : 0,
      ...(state.state === 'open' ? { until: state.until } : {}),
      probeInFlight: state.state === 'half_open' && state.probe !== undefined,
    },
    blocks: [provider.login, ...quota.blocks()].flatMap(cell => {
      const block = cell.at(now)
      if (!block) return []
      const { from, until, failure } = block
      return [{ scope: cell.scope, from, ...(until === null ? {} : { until }), failure }]
    }),
    level: worst(readings.map(({ level }) => level)),
    readings,
    running: provider.running,
    retryTokens: provider.bucket.tokens,
    hasProbe: settings.probe !== undefined,
  }
}
