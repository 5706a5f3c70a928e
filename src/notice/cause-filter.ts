/** The fields of a filter that the cause of a notice names. */
export interface CauseFilter {
  state?: string[]
  capability?: string[]
  provider?: string
  class?: string
  fingerprint?: string
  as?: string
  parked_for?: string
}

const FLAG = /(?:^| )--([a-z-]+) ('(?:[^']|'\\'')*'|[^' $]\S*)/gy
const LISTS: ReadonlySet<string> = new Set(['state', 'capability'])

/**
 * The filter of the API that finds what a cause is about. A cause is written as flags of `mulligan ops`, for people to copy.
 * Undefined for any other cause, and for names with control characters, which only a shell can read back.
 */
export function filterOfCause(cause: string): CauseFilter | undefined {
  const filter: Record<string, string | string[]> = {}
  let read = 0
  for (const [all, flag = '', word = ''] of cause.matchAll(FLAG)) {
    read += all.length
    const value = word.startsWith("'") ? word.slice(1, -1).replaceAll("'\\''", "'") : word
    filter[flag.replaceAll('-', '_')] = LISTS.has(flag) ? [value] : value
  }
  return read === cause.length && read > 0 ? filter : undefined
}
