import { z } from 'zod'

/** A point in time as JSON has it. */
export const moment = z.iso.datetime({ offset: true }).describe('RFC 3339, UTC')

/** A point in time as a caller gives it: RFC 3339 with a zone. Epoch milliseconds within. */
export const instant = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2026-11-15T20:00:00Z' })
  .transform(text => Date.parse(text))

/** A name: of a provider, a capability, a schedule. */
export const name = z.string().min(1).max(200)

/** JSON of a shape that other documents describe. */
export const object = z.record(z.string(), z.unknown())

/** JSON of a caller's own: an object, and nothing in it is looked at, which for a batch would take longer than storing it. */
export const given = z
  .custom<Record<string, unknown>>(
    value => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be an object',
  )
  .meta({ type: 'object', additionalProperties: true })

/** How many, by name. */
export const numbers = z.record(z.string(), z.number())
