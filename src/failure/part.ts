/**
 * Of a failure that is told by several errors, each is a part: the links of a chain of causes, the errors of an
 * AggregateError, the tries that a client lists. What stands inside one answer (its body, its details) is of one
 * part with it.
 */

/** Fields that lead from one error to another, and lists of errors. */
const LINKS = new Set(
  `cause rootCause lastError last_error previous originalError original_error original innerError inner_error inner
   suppressed`.split(/\s+/),
)
const LISTED = /^(?:errors|failures|failedAttempts|suppressed)\[\d+\]$/

const PROCESS = /^(?:process|stdout|stderr)\b/
const P = 112
const S = 115

/** The part that a place belongs to, as the path to it. Both streams of a process and its exit are one. */
export function partOf(where: string): string {
  const first = where.charCodeAt(0)
  if ((first === P || first === S) && PROCESS.test(where)) return 'process'
  let end = where.indexOf('.')
  while (end >= 0) {
    const next = where.indexOf('.', end + 1)
    if (!isLink(where.slice(end + 1, next < 0 ? where.length : next))) return where.slice(0, end)
    end = next
  }
  return where
}

function isLink(field: string): boolean {
  return LINKS.has(field) || (field.endsWith(']') && LISTED.test(field))
}

/** True where a part is told as the reason of another one, or as one of its errors. */
export function isWithin(part: string, outer: string): boolean {
  return part.startsWith(`${outer}.`)
}
