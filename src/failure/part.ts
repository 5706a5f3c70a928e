// Each of several errors that describe one failure is a part: the links of a chain of causes, the errors of an
// AggregateError, the tries that a client lists. Everything within one answer (its body, its details) belongs to the same
// part.

/** Fields that lead from one error to another. */
const LINKS = new Set(
  `cause rootCause lastError last_error previous originalError original_error original innerError inner_error inner
   suppressed`.split(/\s+/),
)
const LISTED = /^(?:errors|failures|failedAttempts|suppressed)\[\d+\]$/

const PROCESS = /^(?:process|stdout|stderr)\b/
const P = 112
const S = 115

/** The part that a place belongs to, as a path. Both streams of a process and its exit are one part. */
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

/** True if a part is the cause of `outer`, or one of its errors. */
export function isWithin(part: string, outer: string): boolean {
  return part.startsWith(`${outer}.`)
}

/** False for what belongs to no part: what the caller or an operator says. */
export function belongsToPart(where: string): boolean {
  return where !== 'caller' && where !== 'input' && where !== 'signature'
}

/** Objects in which clients keep what they know of the answer, besides its body. */
const KEPT = /^(?:\$?response\.|\$metadata\.|output\.)?[\w$]+$/

/** True for a field of the error or answer itself, as the client made it; false for what its body says. */
export function isOwnField(where: string): boolean {
  return KEPT.test(where.slice(partOf(where).length + 1))
}
