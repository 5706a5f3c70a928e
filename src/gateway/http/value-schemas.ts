import { z } from 'zod'

/** A time in an answer. */
export const moment = z.iso.datetime({ offset: true }).describe('RFC 3339, UTC')

/** A time in a request: RFC 3339 with a zone. Parsed to epoch milliseconds. */
export const instant = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2026-11-15T20:00:00Z' })
  .transform(text => Date.parse(text))

/** Longest name, in characters. */
export const LONGEST_NAME = 200

/** The name of a provider, capability or schedule. */
export const name = z.string().min(1).max(LONGEST_NAME)

/** A JSON object that is described elsewhere. */
export const object = z.record(z.string(), z.unknown())

/** A caller's own JSON object. Its content is not checked, which for a batch would take longer than storing it. */
export const given = z
  .custom<Record<string, unknown>>(
    value => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be an object',
  )
  .meta({ type: 'object', additionalProperties: true })

/** Counts by name. */
export const numbers = z.record(z.string(), z.number())
