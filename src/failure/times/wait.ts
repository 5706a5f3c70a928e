import { withoutIndexes } from '../observe/notes.ts'
import type { Observation } from '../observe/observation.ts'
import { waitFromFields } from './fields.ts'
import { waitFromHeaders } from './headers.ts'
import type { Clock } from './moment.ts'
import { type Stated, settle, type Wait } from './stated.ts'
import { waitFromText } from './text.ts'

/** The last present for which all points in time that can follow from it are dates. NaN is none either. */
const LATEST_NOW = 8e15

/**
 * When a failed call can work again, as the provider stated it: headers, then fields of the body, then the
 * text, the final error's before those of retry banners.
 *
 * @param heedBanners whether a wait counts that only a retry banner states: the limit that a run met on its way
 *   is no wait for the cut connection that ended it
 * @param guess whether a reset counts beside which nothing says that the bucket is empty: only for throttles
 */
export function waitOf(
  observation: Observation,
  clock: Clock,
  heedBanners: boolean,
  guess = true,
): Wait | undefined {
  const { now: present } = clock
  const now = present !== undefined && Math.abs(present) <= LATEST_NOW ? present : undefined
  for (const late of heedBanners ? [false, true] : [false]) {
    const stated =
      (late ? undefined : settle(waitFromHeaders(observation.headers, guess, clock), now)) ??
      fromFields(observation, clock, now, late)
    if (stated) return stated
    const said = settle(fromTexts(observation, clock, now, late), now)
    if (said) return toTheSecond(said, late ? undefined : fromFields(observation, clock, now, true))
  }
  return undefined
}

function fromFields(
  { waits }: Observation,
  clock: Clock,
  now: number | undefined,
  late: boolean,
): Wait | undefined {
  return settle(waitFromFields(lastTries(waits.filter(field => field.late === late)), clock), now)
}

const MINUTE_MS = 60_000

/**
 * People are told a reset to the minute, which is up to a minute too early; where an event of the run says the same
 * moment more exactly, that counts.
 */
function toTheSecond(said: Wait, exact: Wait | undefined): Wait {
  const later = (exact?.resetAt ?? 0) - (said.resetAt ?? 0)
  return exact && said.resetAt !== undefined && later > 0 && later < MINUTE_MS ? exact : said
}

/** Of the same field in several elements of a list of tries, the last one's. */
function lastTries<T extends { where: string }>(said: readonly T[]): readonly T[] {
  if (!said.some(({ where }) => where.includes('['))) return said
  const last = new Map(said.map(({ where }) => [withoutIndexes(where), where]))
  return said.filter(({ where }) => last.get(withoutIndexes(where)) === where)
}

function fromTexts(
  observation: Observation,
  clock: Clock,
  now: number | undefined,
  late: boolean,
): Stated | undefined {
  for (const text of lastTries(observation.texts)) {
    const stated = text.late === late ? waitFromText(text.value, now, clock) : undefined
    if (stated) return stated
  }
  return undefined
}
