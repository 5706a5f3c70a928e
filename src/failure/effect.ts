import type { Effect } from './failure.ts'
import type { Observation, Status } from './observe/observation.ts'
import { OWN } from './own.ts'
import { isWithin, partOf } from './part.ts'
import type { Candidate } from './precedence.ts'

/**
 * Whether the failed call may already have done something. The phase decides, not the class: first whether a
 * program had begun to work, then what the fields prove about the connection, then what the rules know. Where
 * several errors speak of one call (a chain of causes, the parts of an AggregateError), one that leaves it open
 * suffices: taking a maybe for a none means paying twice.
 *
 * @param candidates what matched, the decisive one first
 */
export function effectOf(observation: Observation, candidates: readonly Candidate[]): Effect {
  if (hasWorked(observation, candidates) || printedBefore(observation, candidates)) return 'maybe'
  const [winner] = candidates as readonly [Candidate]
  const votes = votesOf(observation, candidates)
  if (votes.includes('maybe')) return 'maybe'
  return votes.length > 0 && isPlaced(winner.where) ? 'none' : effectOfPart(observation, winner)
}

/** Whether something is known to have been done before it failed, or to have been under way. */
export function hasWorked(observation: Observation, candidates: readonly Candidate[]): boolean {
  const { process, turns = 0, costUsd = 0 } = observation
  if (turns > 1 || costUsd > 0) return true
  return process !== undefined && (process.worked || wasEnded(observation, candidates))
}

/** Killed by a signal or by our own timer: it was at work, on something unknown. */
function wasEnded({ process }: Observation, candidates: readonly Candidate[]): boolean {
  return process?.signal !== null || candidates.some(({ rule }) => rule.id === OWN.timedOut.id)
}

/** A program that we know nothing about printed something before it failed: the first line is not about the failure. */
function printedBefore({ process }: Observation, candidates: readonly Candidate[]): boolean {
  if (!process || process.agent !== undefined || process.printed === '') return false
  const isJson = /^[{[]/.test(process.printed)
  return !candidates.some(({ where, source, at, structured }) => {
    if (!where.startsWith('stdout')) return false
    return structured ? isJson : !source.slice(0, at).trimStart().includes('\n')
  })
}

/** What the parts say that know: those without a reason of their own, and outer ones where they prove something. */
function votesOf(observation: Observation, candidates: readonly Candidate[]): Effect[] {
  const speaking = candidates.filter(({ late, where }) => !late && isPlaced(where))
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

/** Where two parts have one status, the match is kept with the first of them. */
function sameStatus(
  part: string,
  statuses: readonly Status[],
  speaking: readonly Candidate[],
): Candidate | undefined {
  const status = statuses.find(({ where }) => partOf(where) === part)
  return status && speaking.find(({ structured, source }) => structured && source === String(status.value))
}

/**
 * What an outer error says is mostly a vaguer word for its reason: "fetch failed" for a refused connection. It counts beside the
 * reason where it is an answer of the server or a code that the reason does not have, or where it speaks of an
 * answer that had begun or a deadline that a mere refusal does not explain.
 */
function provesItself({ rule, structured, where, source }: Candidate, inner: readonly Candidate[]): boolean {
  if (rule.kind === 'stream_cut') return true
  if (rule.class === 'timeout' && rule.rank !== 'hint')
    return inner.every(reason => reason.rule.class === 'throttle' || reason.rule.class === 'permanent')
  return structured && /(?:code|status)$/i.test(where) && inner.every(reason => reason.source !== source)
}

/** What one part of the failure says, by the strongest candidate in it. */
function effectOfPart(observation: Observation, { rule, where }: Candidate, part = partOf(where)): Effect {
  const phase = observation.phases.findLast(known => partOf(known.where) === part)?.effect
  // A fact of the caller's and an operator's signature stand in no part: all of them tell its phase.
  const phases = isPlaced(where) ? [phase] : observation.phases.map(({ effect }) => effect)
  if (phases.includes('maybe') && rule.class !== 'permanent' && rule.class !== 'throttle') return 'maybe'
  if (phases.includes('none')) return 'none'
  return rule.effect === 'maybe' && turnedAway(observation, part) ? 'none' : rule.effect
}

function isPlaced(where: string): boolean {
  return where !== 'caller' && where !== 'input' && where !== 'signature'
}

/** A 503 that says when to come back has turned the request away. */
function turnedAway({ statuses, headers, waits }: Observation, part: string): boolean {
  const isUnavailable = statuses.some(({ value, where }) => value === 503 && partOf(where) === part)
  const saysWhen =
    headers.has('retry-after') || waits.some(({ late, where }) => !late && partOf(where) === part)
  return isUnavailable && saysWhen
}
