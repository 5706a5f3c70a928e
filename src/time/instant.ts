/** What a point in time may look like, for messages. */
export const INSTANT_EXAMPLE = '2026-11-15T20:00:00Z'

/** A date, and a time of day with or without a zone. */
const FORM = /^(\d{4})-(\d{2})-(\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i

/**
 * Epoch milliseconds of a point in time as RFC 3339 writes it; without a zone it is the machine's, a bare date begins
 * in UTC. Undefined if it is none. `Date.parse` alone takes "10" for a day in 2001, and 30 February for one in March.
 */
export function parseInstant(text: string): number | undefined {
  const [, year, month, day] = FORM.exec(text.trim()) ?? []
  if (year === undefined) return undefined
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined
  const at = Date.parse(text.trim().toUpperCase())
  return Number.isNaN(at) ? undefined : at
}
