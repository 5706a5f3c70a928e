import { z } from 'zod'

/** A time: epoch milliseconds in code. */
export const moment = z.iso.datetime({ offset: true }).describe('RFC 3339, UTC')

/** Any JSON object. */
export const object = z.record(z.string(), z.unknown())

/** Counts by name. */
export const numbers = z.record(z.string(), z.number())

/** One of a list of words. */
export function oneOf<const W extends string>(words: readonly W[]) {
  return z.enum(words as readonly [W, ...W[]])
}
