/** A point in time as it travels in JSON: RFC 3339, UTC. */
export function timeToJson(at: number): string {
  const date = new Date(at)
  // One damaged row must not keep a list from being shown.
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString()
}
