import { z } from 'zod'

/** A time in a request: RFC 3339 with a zone. Parsed to epoch milliseconds. */
export const instant = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2026-11-15T20:00:00Z' })
  .transform(text => Date.parse(text))

/** Longest name, in characters. */
export const LONGEST_NAME = 200

/** The name of a provider, capability or schedule. */
export const name = z.string().min(1).max(LONGEST_NAME)

/** A caller's own JSON object. Its content is not checked, which for a batch would take longer than storing it. */
export const given = z
  .custom<Record<string, unknown>>(
    value => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be an object',
  )
  .meta({ type: 'object', additionalProperties: true })

/** How a caller accepts that something may happen twice. */
export const acceptsRepeat = z
  .boolean()
  .optional()
  .describe(
    'Run it again even if it may already have taken effect and nothing can check that. Default false.',
  )
