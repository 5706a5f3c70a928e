import { present } from '../failure/present.ts'
import { readKey } from '../provider/keys.ts'
import type { Pause } from '../provider/provider-health.ts'
import type { EventType } from './event.ts'

/** Which rows of `provider_state` are pauses in force or over. A range of keys, because an index answers that. */
export const IS_PAUSE = `key >= 'pause/' AND key < 'pause0' AND value IS NOT NULL`

/** A stored pause. */
export interface PauseRow {
  key: string
  /** JSON. */
  value: string
}

/** The providers that are paused now, and until when; Infinity without an end. */
export function pausedProviders(rows: readonly PauseRow[], now: number): Map<string, number> {
  const paused = new Map<string, number>()
  for (const { key, value } of rows) {
    const of = readKey(key)
    const { until = Infinity } = JSON.parse(value) as Pause
    if (of?.of === 'pause' && until > now) paused.set(of.provider, until)
  }
  return paused
}

/**
 * The event that belongs to a change of provider state: that somebody paused or resumed a provider. It is written with the
 * change, so that neither exists without the other.
 */
export function pauseEvent(
  key: string,
  before: unknown,
  after: unknown,
): { type: EventType; data: Record<string, unknown> } | undefined {
  const of = readKey(key)
  if (of?.of !== 'pause' || (before === undefined) === (after === undefined)) return undefined
  const { provider } = of
  if (after === undefined) return { type: 'resumed', data: { provider } }
  const { reason, until } = after as Pause
  return {
    type: 'paused',
    data: {
      provider,
      ...present({ reason, until }),
    },
  }
}
