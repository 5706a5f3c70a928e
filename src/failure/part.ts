/**
 * Of a failure that is told by several errors, each is a part: the links of a chain of causes, the errors of an
 * AggregateError, the tries that a client lists. What stands inside one answer (its body, its details) is of one
 * part with it.
 */

/** Fields that lead from one error to another. */
const LINK =
  /^(?:cause|rootCause|lastError|last_error|previous|originalError|original_error|original|innerError|inner_error|inner|suppressed|(?:errors|failures|failedAttempts|suppressed)\[\d+\])$/

/** The part that a place belongs to, as the path to it. Both streams of a process and its exit are one. */
export function partOf(where: string): string {
  const [root = '', ...fields] = where.split('.')
  if (/^(?:process|stdout|stderr)\b/.test(root)) return 'process'
  const end = fields.findIndex(field => !LINK.test(field))
  return [root, ...(end < 0 ? fields : fields.slice(0, end))].join('.')
}

/** True where a part is told as the reason of another one, or as one of its errors. */
export function isWithin(part: string, outer: string): boolean {
  return part.startsWith(`${outer}.`)
}
