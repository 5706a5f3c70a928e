import type { Failure } from '../../failure/failure.ts'
import { timeToJson } from '../../time/time-json.ts'
import { durationInWords } from '../../verdict/duration-words.ts'

/** When it can work again, if the failure states that. */
export function waitInWords(failure: Failure): string | undefined {
  if (failure.retryAfterMs === undefined) return undefined
  const length = `in ${durationInWords(failure.retryAfterMs)}`
  return failure.resetAt === undefined
    ? length
    : `${length} (${timeToJson(failure.resetAt).replace('.000Z', 'Z')})`
}

/** The possible effect of a failed try. */
export const EFFECT_IN_WORDS = {
  none: 'no effect',
  maybe: 'may have taken effect',
  done: 'took effect',
} as const

/** A failure in one line: class, when to try again, possible effect, message. */
export function failureInOneLine(failure: Failure): string {
  const wait = waitInWords(failure)
  const parts = [
    `${failure.class}/${failure.kind}`,
    ...(wait ? [`works again ${wait}`] : []),
    EFFECT_IN_WORDS[failure.effect],
    failure.message,
  ]
  return parts.join(' · ')
}

/** A point in time, and how far away it is, in whole seconds. */
export function momentInWords(at: number, now: number): string {
  const away = Math.floor(Math.abs(at - now) / 1_000) * 1_000
  const distance =
    away < 1_000 ? 'now' : at > now ? `in ${durationInWords(away)}` : `${durationInWords(away)} ago`
  return `${timeToJson(at).replace(/\.\d+Z$/, 'Z')} (${distance})`
}
