import { readKey } from '../provider/keys.ts'
import type { Pause } from '../provider/provider-health.ts'

/** Which rows of `provider_state` are pauses in force or over. A range of keys, because an index answers that. */
export const IS_PAUSE = `key >= 'pause/' AND key < 'pause0' AND value IS NOT NULL`

/** A stored pause. */
export interface PauseRow {
  key: string
  /** JSON. */
  value: string
}

/** Until when providers are paused, or were; Infinity without an end. */
export function pauseEnds(rows: readonly PauseRow[]): Map<string, number> {
  const ends = new Map<string, number>()
  for (const { key, value } of rows) {
    const of = readKey(key)
    const { until = Infinity } = JSON.parse(value) as Pause
    if (of?.of === 'pause') ends.set(of.provider, until)
  }
  return ends
}
