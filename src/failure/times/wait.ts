import { withoutIndexes } from '../observe/notes.ts'
import type { Observation } from '../observe/observation.ts'
import { waitFromField } from './fields.ts'
import { waitFromHeaders } from './headers.ts'
import type { Clock } from './moment.ts'
import type { Stated } from './stated.ts'
import { waitFromText } from './text.ts'

/** The fields of a Failure that say when to come back. */
export interface Wait {
  retryAfterMs?: number
  resetAt?: number
  /** Where it was stated. */
  by?: { where: string; isField: boolean; quoted?: boolean | undefined }
}

/** The latest `now` from which every stated time is still a valid date. */
const LATEST_NOW = 8e15

/**
 * When a failed call can work again, as the provider stated it: headers, then fields of the body, then the text, with the
 * final error before retry banners.
 *
 * @param heedBanners whether a wait stated only in a retry banner counts: a limit met along the way is no wait for the cut
 *   connection that ended the run
 * @param guess whether a reset counts although nothing says the bucket is empty: only for throttles
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
      (late ? undefined : fromHeaders(observation, clock, now, guess)) ??
      fromFields(observation, clock, now, late)
    if (stated) return stated
    const said = fromTexts(observation, clock, now, late)
    if (said) return toTheSecond(said, late ? undefined : fromFields(observation, clock, now, true))
  }
  return undefined
}

/** Headers that somebody wrote into a body count after those of the answer, and as that one's word. */
function fromHeaders(
  { headers, toldHeaders }: Observation,
  clock: Clock,
  now: number | undefined,
  guess: boolean,
): Wait | undefined {
  const wait = settle(waitFromHeaders(headers, guess, clock), now)
  if (wait) return { ...wait, by: { where: 'response.headers', isField: true } }
  const [first] = toldHeaders.values()
  if (!first) return undefined
  const values = new Map([...toldHeaders].map(([name, { value }]) => [name, value]))
  const told = settle(waitFromHeaders(values, guess, clock), now)
  return told && { ...told, by: { where: first.where, isField: true, quoted: first.quoted } }
}

function fromFields(
  { waits }: Observation,
  clock: Clock,
  now: number | undefined,
  late: boolean,
): Wait | undefined {
  for (const field of lastTries(waits.filter(given => given.late === late))) {
    const wait = settle(waitFromField(field, clock), now)
    if (wait) return { ...wait, by: { where: field.where, isField: true, quoted: field.quoted } }
  }
  return undefined
}

const MINUTE_MS = 60_000

/**
 * Messages for people state a reset to the minute, which can be up to a minute early, or the end of this minute. If an event
 * of the run states the same moment more exactly, that one counts.
 */
function toTheSecond(said: Wait, exact: Wait | undefined): Wait {
  if (exact?.resetAt === undefined || said.resetAt === undefined) return said
  const later = exact.resetAt - said.resetAt
  const isSoon = exact.retryAfterMs !== undefined && exact.retryAfterMs < MINUTE_MS
  return (later > 0 && later < MINUTE_MS) || (isSoon && later < 0 && later > -MINUTE_MS) ? exact : said
}

/** If several list elements have the same field, the last try's counts. */
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
): Wait | undefined {
  for (const text of lastTries(observation.texts)) {
    const wait = text.late === late ? settle(waitFromText(text.value, now, clock), now) : undefined
    if (wait) return { ...wait, by: { where: text.where, isField: false } }
  }
  return undefined
}

const LONGEST_MS = 35 * 86_400_000

/**
 * Turns a stated wait into fields of a Failure. A time in the past or more than 35 days ahead counts as unstated. A point
 * in time needs `now`; with `now`, both fields are set.
 */
export function settle(stated: Stated | undefined, now: number | undefined): Wait | undefined {
  if (stated === undefined) return undefined
  if ('ms' in stated) {
    const ms = Math.round(stated.ms)
    if (!Number.isFinite(ms) || ms < 0 || ms > LONGEST_MS) return undefined
    return now === undefined ? { retryAfterMs: ms } : { retryAfterMs: ms, resetAt: now + ms }
  }
  if (now === undefined || !Number.isFinite(stated.at)) return undefined
  const ms = Math.round(stated.at - now)
  return ms <= 0 || ms > LONGEST_MS ? undefined : { retryAfterMs: ms, resetAt: now + ms }
}
