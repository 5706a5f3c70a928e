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

/** What is known about a place. Places repeat, so up to this many are remembered, up to this length. */
interface Place {
  readonly part: string
  readonly isOwn: boolean
  readonly isPassedOn: boolean
}
const MOST_PLACES = 512
const LONGEST_PLACE = 120
const places = new Map<string, Place>()

function placeOf(where: string): Place {
  const known = places.get(where)
  if (known) return known
  const part = readPart(where)
  const field = where.slice(part.length + 1)
  const place = { part, isOwn: KEPT.test(field), isPassedOn: PASSED_ON.test(field.replace(OWN_ERROR, '')) }
  if (where.length > LONGEST_PLACE) return place
  if (places.size === MOST_PLACES) places.clear()
  places.set(where, place)
  return place
}

/** The part that a place belongs to, as a path. Both streams of a process and its exit are one part. */
export function partOf(where: string): string {
  return placeOf(where).part
}

function readPart(where: string): string {
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
  return placeOf(where).isOwn
}

/** The body of an answer, under the names that clients give it, and the error in it. */
const OWN_ERROR = /^(?:(?:\$?response\.)?(?:body|data|error)\.)?(?:(?:error|err|fault|errors\[\d+\])\.)?/
/** Fields in which a server passes on the error of another. A list of details is its own, as gRPC has it. */
const PASSED_ON =
  /(?:^|\.)(?:(?:\w*upstream\w*|\w*cause\w*|inner\w*|\w*original\w*|previous|response|body|raw|error|\w+_error|\w+Error)(?:\[\d+\])?|details|metadata)\./i

/** True for a field of an error that stands inside of the error of this answer: somebody else's, passed on. */
export function isPassedOn(where: string): boolean {
  return placeOf(where).isPassedOn
}
