/** A valid point in time, for messages. */
export const INSTANT_EXAMPLE = '2026-11-15T20:00:00Z'

/** A date, and a time of day with or without a zone. */
const FORM = /^(\d{4})-(\d{2})-(\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i

/**
 * Parses an RFC 3339 point in time into epoch milliseconds; undefined if it is invalid. Without a zone it is in the machine's
 * zone; a bare date starts in UTC. `Date.parse` alone reads "10" as a day in 2001, and accepts 30 February.
 */
export function parseInstant(text: string): number | undefined {
  const [, year, month, day] = FORM.exec(text.trim()) ?? []
  if (year === undefined) return undefined
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined
  const at = Date.parse(text.trim().toUpperCase())
  return Number.isNaN(at) ? undefined : at
}
