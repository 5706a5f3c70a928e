import type { Effect, Failure } from '../failure/failure.ts'
import type { ProcessResult } from '../process/run.ts'
import type { Launch } from './launch.ts'
import type { EarlyEnd } from './read-outcome.ts'
import type { AgentRequest } from './request.ts'
import type { RunProgress } from './run-progress.ts'

/** What another process did to the program, at an unknown point. */
const ENDED_BY_OTHERS = new Set<Failure['kind']>(['aborted', 'killed', 'out_of_memory'])

/**
 * Whether a failed run may have done something. Decided by what its driver saw, not by the wording of the failure: a 500 is no
 * effect if the model never answered, and a refused login is one after forty turns. `none` requires proof: all output is
 * understood, and none of it is an answer, a tool or a cost.
 */
export function effectOfRun(
  {
    request,
    launch,
    progress,
    result,
    earlyEnd,
  }: {
    request: AgentRequest
    launch: Launch
    progress: RunProgress
    result: ProcessResult
    earlyEnd: EarlyEnd | undefined
  },
  failure: Failure,
): Effect {
  if (!hasStarted(result)) return 'none'
  // Nothing is known about what an unknown program does before it prints.
  if (launch.cli.profile === undefined) return 'maybe'
  // What was done earlier in the session is still open, regardless of this run.
  if (request.session || progress.hasWorked || isUnread(progress, failure)) return 'maybe'
  if (earlyEnd?.by === 'watch') return 'none'
  const isCut =
    earlyEnd !== undefined || result.timedOut || result.stalled || ENDED_BY_OTHERS.has(failure.kind)
  return isCut ? 'maybe' : 'none'
}

/** A program that was cancelled before it started has neither exit code nor signal. */
function hasStarted({ aborted, exitCode, signal }: ProcessResult): boolean {
  return !(aborted && exitCode === null && signal === null)
}

/** True if something was printed that may have been an answer. Words of a known failure are not. */
function isUnread({ brokenLines, unknownEvents, plainLines }: RunProgress, failure: Failure): boolean {
  return brokenLines > 0 || unknownEvents > 0 || (plainLines > 0 && failure.class === 'unknown')
}
