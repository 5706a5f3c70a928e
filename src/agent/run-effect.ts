import type { Deed, Effect, Failure } from '../failure/failure.ts'
import type { ProcessResult } from '../process/run.ts'
import type { EarlyEnd } from './early-end.ts'
import type { Launch } from './launch.ts'
import type { AgentRequest } from './request.ts'
import { moreDone, type RunProgress } from './run-progress.ts'

/** What another process did to the program, at an unknown point. */
const ENDED_BY_OTHERS = new Set<Failure['kind']>(['aborted', 'killed', 'out_of_memory'])

/** Everything that tells what a run did. */
export interface RunFacts {
  request: AgentRequest
  launch: Launch
  progress: RunProgress
  result: ProcessResult
  earlyEnd: EarlyEnd | undefined
}

/** What was done in the session of a run, this run included. What is not known of earlier runs may have been anything. */
export function deedOf({
  request: { session },
  progress,
}: Pick<RunFacts, 'request' | 'progress'>): Deed | undefined {
  const before = session && (session.did ?? (session.hasWorked === false ? undefined : 'acted'))
  return moreDone(before, progress.did)
}

/**
 * Whether a failed run may have done something. Decided by what its driver saw, not by the wording of the failure: a 500 is no
 * effect if the model never answered, and a refused login is one after forty turns. `none` requires proof: all output is
 * understood, and none of it is a tool that may act, as far as the CLI tells of all its tools.
 */
export function effectOfRun(facts: RunFacts, failure: Failure): Effect {
  const { launch, progress, result, earlyEnd } = facts
  if (!hasStarted(result)) return 'none'
  // Nothing is known about what an unknown program does before it prints.
  if (launch.cli.profile === undefined) return 'maybe'
  const did = deedOf(facts)
  if (did === 'acted' || isUnread(progress, failure)) return 'maybe'
  const isCut =
    earlyEnd !== undefined || result.timedOut || result.stalled || ENDED_BY_OTHERS.has(failure.kind)
  const { tellsOfTools } = launch.cli.profile
  if (did !== undefined)
    return tellsOfTools === 'before' || (tellsOfTools === 'after' && !isCut) ? 'none' : 'maybe'
  return isCut && earlyEnd?.by !== 'watch' ? 'maybe' : 'none'
}

/** A program that was cancelled before it started has neither exit code nor signal. */
function hasStarted({ aborted, exitCode, signal }: ProcessResult): boolean {
  return !(aborted && exitCode === null && signal === null)
}

/** True if something was printed that may have been an answer. Words of a known failure are not. */
function isUnread({ brokenLines, unknownEvents, plainLines }: RunProgress, failure: Failure): boolean {
  return brokenLines > 0 || unknownEvents > 0 || (plainLines > 0 && failure.class === 'unknown')
}
