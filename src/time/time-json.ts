/** A point in time in JSON: RFC 3339, UTC. */
export function timeToJson(at: number): string {
  const date = new Date(at)
  // One damaged row must not break a whole list.
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString()
}
