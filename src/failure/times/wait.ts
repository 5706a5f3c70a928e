import type { Observation } from '../observe/observation.ts'
import { waitFromFields } from './fields.ts'
import { waitFromHeaders } from './headers.ts'
import { type Stated, settle, type Wait } from './stated.ts'
import { waitFromText } from './text.ts'

/** The last present for which all points in time that can follow from it are dates. NaN is none either. */
const LATEST_NOW = 8e15

/**
 * When a failed call can work again, as the provider stated it: headers, then fields of the body, then the
 * text, the final error's before those of retry banners.
 */
export function waitOf(
  observation: Observation,
  present: number | undefined,
  timeZone: string | undefined,
): Wait | undefined {
  const now = present !== undefined && Math.abs(present) <= LATEST_NOW ? present : undefined
  return (
    settle(waitFromHeaders(observation.headers), now) ??
    settle(waitFromFields(observation.waits), now) ??
    settle(fromTexts(observation, now, timeZone), now)
  )
}

function fromTexts(
  observation: Observation,
  now: number | undefined,
  timeZone: string | undefined,
): Stated | undefined {
  for (const late of [false, true]) {
    for (const text of observation.texts) {
      const stated = text.late === late ? waitFromText(text.value, now, timeZone) : undefined
      if (stated) return stated
    }
  }
  return undefined
}
