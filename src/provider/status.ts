import { present } from '../failure/present.ts'
import { BreakerCell } from './breaker-cell.ts'
import type { ProviderHealth } from './provider-health.ts'
import type { ProviderStatus } from './provider-status.ts'
import type { Refusal } from './refusal.ts'
import { worst } from './window-use.ts'

export function statusOf(
  provider: ProviderHealth,
  refusal: Refusal | BreakerCell | undefined,
  now: number,
): ProviderStatus {
  const { id, quota, settings } = provider
  const state = provider.breaker.at(now)
  const windows = quota.windows.all(undefined, now)
  const pause = provider.pauseAt(now)
  const isRefused = refusal !== undefined && !(refusal instanceof BreakerCell)
  return {
    id,
    quota: quota.name,
    admits: !isRefused,
    ...(isRefused ? refusedBy(refusal) : {}),
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
    paced: [...quota.paced(now)],
    level: worst(windows.map(({ level }) => level)),
    windows,
    running: provider.running,
    retryTokens: provider.bucket.tokens,
    hasProbe: settings.probe !== undefined,
  }
}

function refusedBy({ reason, cause, said, isPaced, failure, until }: Refusal): Partial<ProviderStatus> {
  return {
    reason,
    cause,
    failure,
    ...present({ said, isPaced, until: Number.isFinite(until) ? until : undefined }),
  }
}
