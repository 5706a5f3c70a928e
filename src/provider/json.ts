import { failureToJson } from '../failure/json.ts'
import { timeToJson } from '../time/time-json.ts'
import type { ProbeResult } from './probe.ts'
import type { ProviderStatus } from './status.ts'
import type { WindowUse } from './window-use.ts'

/** The state of a provider in JSON. */
export function providerToJson(status: ProviderStatus): Record<string, unknown> {
  const { id, quota, admits, reason, until, paused, breaker, blocks, level, windows } = status
  return {
    id,
    quota,
    admits,
    ...(reason === undefined ? {} : { reason }),
    ...(until === undefined ? {} : { until: timeToJson(until) }),
    ...(paused === undefined
      ? {}
      : {
          paused: {
            at: timeToJson(paused.at),
            ...(paused.reason === undefined ? {} : { reason: paused.reason }),
            ...(paused.until === undefined ? {} : { until: timeToJson(paused.until) }),
          },
        }),
    breaker: {
      state: breaker.state,
      failures: breaker.failures,
      ...(breaker.until === undefined ? {} : { until: timeToJson(breaker.until) }),
      probe_in_flight: breaker.probeInFlight,
    },
    model_breakers: status.modelBreakers.map(({ until: opensAt, ...of }) => ({
      ...of,
      ...(opensAt === undefined ? {} : { until: timeToJson(opensAt) }),
    })),
    login_refused: status.loginRefused,
    blocks: blocks.map(block => ({
      scope: block.scope,
      from: timeToJson(block.from),
      ...(block.until === undefined ? {} : { until: timeToJson(block.until) }),
      failure: failureToJson(block.failure),
    })),
    paced: status.paced.map(({ model, at, until: nextAt, perMinute, failure }) => ({
      ...(model === undefined ? {} : { model }),
      at: timeToJson(at),
      until: timeToJson(nextAt),
      ...(perMinute === undefined ? {} : { per_minute: perMinute }),
      failure: failureToJson(failure),
    })),
    level,
    windows: windows.map(windowToJson),
    has_probe: status.hasProbe,
  }
}

/** How full one window is. */
export function windowToJson({ until, ...use }: WindowUse): Record<string, unknown> {
  return { ...use, ...(until === undefined ? {} : { until: timeToJson(until) }) }
}

/** How a probe ended. */
export function probeToJson({ provider, outcome, reason, failure, durationMs }: ProbeResult) {
  return {
    provider,
    outcome,
    reason,
    ...(failure ? { failure: failureToJson(failure) } : {}),
    duration_ms: Math.round(durationMs),
  }
}
