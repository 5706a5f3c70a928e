import type { Effect } from './failure.ts'
import type { Observation, Status } from './observe/observation.ts'
import { OWN } from './own.ts'
import type { Candidate } from './precedence.ts'

/**
 * Whether the failed call may already have done something. The phase decides, not the class: first whether a program had
 * begun to work, then what the fields prove about the connection, then what the rules know. If several errors describe
 * one call (a chain of causes, the parts of an AggregateError), a single `maybe` is enough: taking a `maybe` for a `none`
 * means paying twice.
 *
 * @param candidates the rules that matched, the deciding one first
 */
export function effectOf(observation: Observation, candidates: readonly Candidate[]): Effect {
  if (hasWorked(observation, candidates) || printedBefore(observation, candidates)) return 'maybe'
  const [winner] = candidates as readonly [Candidate]
  const votes = votesOf(observation, candidates)
  if (votes.includes('maybe')) return 'maybe'
  return votes.length > 0 && belongsToPart(winner.where) ? 'none' : effectOfPart(observation, winner)
}

/** Whether the call is known to have done something, or to have been working, before it failed. */
export function hasWorked(observation: Observation, candidates: readonly Candidate[]): boolean {
  const { process, turns = 0, costUsd = 0 } = observation
  if (turns > 1 || costUsd > 0) return true
  return process !== undefined && (process.worked || wasEnded(observation, candidates))
}

/** True if a signal or our timer ended it: it was working, and we do not know on what. */
function wasEnded({ process }: Observation, candidates: readonly Candidate[]): boolean {
  return process?.signal !== null || candidates.some(({ rule }) => rule.id === OWN.timedOut.id)
}

/** True if an unknown program printed something before it failed: its first line is not about the failure. */
function printedBefore({ process }: Observation, candidates: readonly Candidate[]): boolean {
  if (!process || process.agent !== undefined || process.printed === '') return false
  const isJson = /^[{[]/.test(process.printed)
  return !candidates.some(({ where, source, at, structured }) => {
    if (!where.startsWith('stdout')) return false
    return structured ? isJson : !source.slice(0, at).trimStart().includes('\n')
  })
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
    const effect = effectOfPart(observation, best, part)
    if (reasons.length === 0) return best.rule.rank === 'last' ? [] : [effect]
    const inner = speaking.filter(({ where }) => reasons.includes(partOf(where)))
    return effect === 'maybe' && provesItself(best, inner) ? [effect] : []
  })
}

function partsOf(all: readonly (readonly { where: string }[])[]): string[] {
  const parts = new Set<string>()
  for (const placed of all) for (const { where } of placed) parts.add(partOf(where))
  return [...parts]
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
  if (rule.class === 'timeout' && rule.rank !== 'hint')
    return inner.every(reason => reason.rule.class === 'throttle' || reason.rule.class === 'permanent')
  return structured && /(?:code|status)$/i.test(where) && inner.every(reason => reason.source !== source)
}

/** The effect of one part of the failure, by the strongest candidate in it. */
function effectOfPart(observation: Observation, { rule, where }: Candidate, part = partOf(where)): Effect {
  const phase = observation.phases.findLast(known => partOf(known.where) === part)?.effect
  // The caller's own facts and operator signatures belong to no part, so every part's phase counts.
  const phases = belongsToPart(where) ? [phase] : observation.phases.map(({ effect }) => effect)
  if (phases.includes('maybe') && rule.class !== 'permanent' && rule.class !== 'throttle') return 'maybe'
  if (phases.includes('none')) return 'none'
  return rule.effect === 'maybe' && wasTurnedAway(observation, part) ? 'none' : rule.effect
}

function belongsToPart(where: string): boolean {
  return where !== 'caller' && where !== 'input' && where !== 'signature'
}

/** A 503 that says when to come back turned the request away. */
function wasTurnedAway({ statuses, headers, waits }: Observation, part: string): boolean {
  const isUnavailable = statuses.some(({ value, where }) => value === 503 && partOf(where) === part)
  const saysWhen =
    headers.has('retry-after') || waits.some(({ late, where }) => !late && partOf(where) === part)
  return isUnavailable && saysWhen
}

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
function partOf(where: string): string {
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
function isWithin(part: string, outer: string): boolean {
  return part.startsWith(`${outer}.`)
}
