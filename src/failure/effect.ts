import { RANKS } from './catalogue/rank.ts'
import type { Effect } from './failure.ts'
import type { Observation, Status } from './observe/observation.ts'
import { END_OF_PROCESS } from './observe/process.ts'
import { OWN } from './own.ts'
import { belongsToPart, isOwnField, isWithin, partOf } from './part.ts'
import type { Candidate } from './precedence.ts'
import { SPEAKERS } from './speaker.ts'
import { hasAnswer, isConnection, isOfUpstream, speakerOf } from './speaking.ts'
import { matchesOf } from './text/matches.ts'
import { anyOf, mayContain, prefilterOf } from './text/prefilter.ts'

/**
 * Whether the failed call may already have done something. The phase decides, not the class: first whether a program had
 * begun to work, then what the fields prove about the connection, then what a refusal proves. `none` needs a speaker
 * that may prove it: no text does, and a text that says something was done forbids it. If several errors describe
 * one call (a chain of causes, the parts of an AggregateError), a single `maybe` is enough: taking a `maybe` for a `none`
 * means paying twice.
 *
 * @param candidates the rules that matched, the deciding one first
 */
export function effectOf(observation: Observation, candidates: readonly Candidate[]): Effect {
  if (hasWorked(observation, candidates)) return 'maybe'
  const [winner] = candidates as readonly [Candidate]
  const votes = votesOf(observation, candidates)
  if (votes.includes('maybe')) return 'maybe'
  const isOpen =
    !(votes.length > 0 && belongsToPart(winner.where)) &&
    effectOfPart(observation, winner, candidates) !== 'none'
  if (isOpen || observation.texts.some(({ value }) => saysDone(value))) return 'maybe'
  return candidates.some(candidate => isTroubleBehind(candidate, observation)) ? 'maybe' : 'none'
}

/**
 * Whether a server that refuses tells of a connection that it could not make itself. Then it had begun, whatever its
 * status says. A proxy in front of the server speaks of the server itself, with a status of 500 or more.
 */
function isTroubleBehind(candidate: Candidate, { source, statuses }: Observation): boolean {
  const { rule, where, structured, late } = candidate
  if (late || structured || rule.effect !== 'none' || !isConnection(rule.kind)) return false
  if (source === 'tool' || source === 'process') return false
  const ofPart = statuses.filter(
    status => !status.quoted && !status.late && partOf(status.where) === partOf(where),
  )
  return ofPart.length > 0 && ofPart.every(({ value }) => value >= 400 && value < 500)
}

/** Whether the call is known to have done something, or to have been working, before it failed. */
export function hasWorked(observation: Observation, candidates: readonly Candidate[]): boolean {
  const { process, hasBegun, turns = 0, costUsd = 0 } = observation
  if (hasBegun || turns > 1 || costUsd > 0) return true
  return process !== undefined && (process.worked || wasEnded(observation, candidates))
}

/** True if a signal or our timer ended it: it was working, and we do not know on what. */
function wasEnded({ process }: Observation, candidates: readonly Candidate[]): boolean {
  return process?.signal !== null || candidates.some(({ rule }) => rule.id === OWN.timedOut.id)
}

/** The effects that the parts vote for: each part without an inner reason, and outer parts that prove something themselves. */
function votesOf(observation: Observation, candidates: readonly Candidate[]): Effect[] {
  const speaking = candidates.filter(({ late, where }) => !late && belongsToPart(where))
  const statuses = observation.statuses.filter(({ late }) => !late)
  const parts = partsOf([speaking, statuses, observation.phases])
  if (parts.length < 2) return []
  return parts.flatMap(part => {
    const best = speaking.find(({ where }) => partOf(where) === part) ?? sameStatus(part, statuses, speaking)
    if (!best) return []
    const reasons = parts.filter(other => isWithin(other, part))
    const effect = effectOfPart(observation, best, candidates, part)
    if (reasons.length === 0) return !RANKS[best.rule.rank].stands ? [] : [effect]
    const inner = speaking.filter(({ where }) => reasons.includes(partOf(where)))
    return effect === 'maybe' && provesItself(best, inner) ? [effect] : []
  })
}

function partsOf(all: readonly (readonly { where: string }[])[]): string[] {
  const parts: string[] = []
  for (const placed of all)
    for (const { where } of placed) {
      const part = partOf(where)
      if (!parts.includes(part)) parts.push(part)
    }
  return parts
}

/** If two parts have the same status, its match is recorded with the first part only. */
function sameStatus(
  part: string,
  statuses: readonly Status[],
  speaking: readonly Candidate[],
): Candidate | undefined {
  const status = statuses.find(({ where }) => partOf(where) === part)
  return status && speaking.find(({ structured, source }) => structured && source === String(status.value))
}

/**
 * Whether an outer error counts besides its reason. Usually it only words the reason more vaguely: "fetch failed" for a
 * refused connection. It counts if it carries a server answer or a code that the reason lacks, or if it reports an answer
 * that had begun or a deadline that a mere refusal does not explain.
 */
function provesItself({ rule, structured, where, source }: Candidate, inner: readonly Candidate[]): boolean {
  if (rule.kind === 'stream_cut') return true
  if (rule.class === 'timeout' && rule.rank !== 'status')
    return inner.every(reason => reason.rule.class === 'throttle' || reason.rule.class === 'permanent')
  return structured && /(?:code|status)$/i.test(where) && inner.every(reason => reason.source !== source)
}

/** The effect of one part of the failure, by the strongest candidate in it. */
function effectOfPart(
  observation: Observation,
  { rule, where }: Candidate,
  candidates: readonly Candidate[],
  part = partOf(where),
): Effect {
  // The caller's own facts and operator signatures belong to no part, so every part counts.
  const isIn = (place: string) => !belongsToPart(where) || partOf(place) === part
  const known = observation.phases.filter(phase => isIn(phase.where))
  const phases = belongsToPart(where) ? known.slice(-1) : known
  const isRefusal = rule.class === 'permanent' || rule.class === 'throttle'
  if (phases.some(phase => phase.effect === 'maybe') && !isRefusal) return 'maybe'
  if (phases.some(phase => phase.effect === 'none' && partOf(phase.where) === phase.where)) return 'none'
  if (wasTurnedAway(observation, isIn)) return 'none'
  return rule.effect === 'none' && isProven(observation, candidates, isIn) ? 'none' : 'maybe'
}

/** Statuses with which a server says that it did not take the request, whatever it says besides. */
const REFUSALS: ReadonlySet<number> = new Set([
  401, 402, 403, 404, 405, 407, 410, 412, 413, 415, 421, 423, 425, 428, 429, 431, 451, 511, 521, 523, 529,
])

/** Whether a refusal is proven by a status, or by a field of a speaker that may prove it. */
function isProven(
  observation: Observation,
  candidates: readonly Candidate[],
  isIn: (where: string) => boolean,
): boolean {
  const statuses =
    observation.source === 'tool' || observation.source === 'process'
      ? []
      : observation.statuses.filter(({ where, quoted, late }) => !quoted && !late && isIn(where))
  const isRefusal = ({ late, rule, where }: Candidate) =>
    !late && rule.effect === 'none' && RANKS[rule.rank].stands && isIn(where)
  // A vendor may document a status of its own.
  const isOfVendor = (candidate: Candidate) =>
    !candidate.rule.id.startsWith('http.') && isRefusal(candidate) && isStatus(candidate, statuses)
  if (statuses.length > 0 && candidates.some(isOfVendor)) return true
  if (statuses.some(({ value, where }) => isBroken(value) && isOwnField(where))) return false
  if (statuses.some(({ value, where }) => REFUSALS.has(value) && isOwnField(where))) return true
  return candidates.some(
    candidate =>
      // A program that ends with an exit code had begun.
      candidate.where !== END_OF_PROCESS &&
      isRefusal(candidate) &&
      !isStatus(candidate, statuses) &&
      provesNone(candidate, observation),
  )
}

/** Only the client itself saw that there was no connection; in a field of an answer, it is somebody else's. */
function provesNone(candidate: Candidate, observation: Observation): boolean {
  const speaker = speakerOf(candidate, observation)
  if (!SPEAKERS[speaker].provesNone) return false
  const isOfClient = observation.source === 'error' && !hasAnswer(partOf(candidate.where), observation)
  return speaker !== 'typed' || isOfClient || !isConnection(candidate.rule.kind)
}

function isStatus({ where, source }: Candidate, statuses: readonly Status[]): boolean {
  return statuses.some(status => status.where === where && String(status.value) === source)
}

/** A server that failed may have done its work before, unless it says that it was too busy to begin. */
function isBroken(status: number): boolean {
  return status >= 500 && status !== 503 && !REFUSALS.has(status)
}

/** A 503 that says when to come back turned the request away. */
function wasTurnedAway(observation: Observation, isIn: (where: string) => boolean): boolean {
  const { source, statuses, headers, waits } = observation
  const isUnavailable =
    source !== 'tool' &&
    source !== 'process' &&
    statuses.some(({ value, where, quoted }) => value === 503 && !quoted && isIn(where) && isOwnField(where))
  if (!isUnavailable) return false
  return (
    headers.has('retry-after') ||
    waits.some(
      ({ late, quoted, where }) =>
        !late && !quoted && isIn(where) && !isOfUpstream(where, partOf(where), observation),
    )
  )
}

/**
 * Words with which an answer says that something was done. A failure that says so may have taken effect, whatever else
 * it says.
 */
const DONE =
  /\b(?:created|captured|committed|charged|inserted|transferred|refunded|booked|delivered|dispatched|shipped|debited|deposited|withdrawn|deployed|enqueued|persisted|(?<!requests? |tokens? |you |you have |you've )sent(?! (?:too|by|with|in|without|from)\b)|successfully \w+ed|(?:was|were|been) (?:saved|stored|recorded|written|accepted|submitted|executed|applied|uploaded|published|posted|placed|merged|paid|updated|deleted)|(?<!\b(?:circuit|breaker|too many|changes|not) )(?:saved|stored|issued|opened|placed|posted|published|recorded|renewed|reserved|settled|submitted|uploaded|written)(?=\s*(?:[.;,!—–]|but\b|and\b|however\b)))\b/gi

/** Every form above contains one of these. */
const DONE_WORDS = anyOf(
  ...`created captured committed charged inserted transferred refunded booked delivered dispatched shipped debited deposited
  withdrawn deployed enqueued persisted sent successfully saved stored issued opened placed posted published recorded
  renewed reserved settled submitted uploaded written`.split(/\s+/),
  ...['was ', 'were ', 'been '],
)

/** What takes such a word back, or makes it a wish or a rule, if it stands before it in the same clause. */
const NOT_DONE =
  /\b(?:not|never|no(?!\.? ?\d)|too (?:many|much)|none|nothing|neither|nor|without|cannot|unable|(?:can|could|would|will|must|should|shall|to)(?! have)(?= be\b| get\b| only\b)|if|unless|until|before|when|needs?|requires?|instead of|rather than)\b|n['’]t\b/i

const CLAUSE_END = /[.;,:!?\n\r()[\]{}"“”|]|\b(?:but|and|then|however|although|while)\b/i
const LONGEST_TEXT = 16_384
const LONGEST_CLAUSE = 80

/** True if a text says, in some clause and not negated, that something was done. */
function saysDone(text: string): boolean {
  if (!mayContain(prefilterOf(text), DONE_WORDS)) return false
  const said = text.slice(0, LONGEST_TEXT)
  for (const { index } of matchesOf(DONE, said)) {
    const clause = said
      .slice(Math.max(0, index - LONGEST_CLAUSE), index)
      .split(CLAUSE_END)
      .at(-1) as string
    if (!NOT_DONE.test(clause)) return true
  }
  return false
}
