import type { Effect, Failure } from '../failure/failure.ts'
import type { ProcessResult } from '../process/run.ts'
import type { Prepared } from './prepare.ts'
import type { Ending } from './read-outcome.ts'
import type { Reading } from './reading.ts'
import type { AgentRequest } from './request.ts'

/** What somebody else did to the program: nobody knows in the middle of what. */
const ENDED_BY_OTHERS = new Set<Failure['kind']>(['aborted', 'killed', 'out_of_memory'])

/**
 * Whether a run that failed may have done something. What its driver saw decides, not how the failure reads: a 500 is
 * no effect where the model never answered, and a refused login is one after forty turns. `none` takes proof: all that
 * was printed is known, and none of it is an answer, a tool or a cost.
 */
export function effectOfRun(
  {
    request,
    prepared,
    reading,
    result,
    ending,
  }: {
    request: AgentRequest
    prepared: Prepared
    reading: Reading
    result: ProcessResult
    ending: Ending | undefined
  },
  failure: Failure,
): Effect {
  if (!hasStarted(result)) return 'none'
  // Nothing is known of what such a program does before it prints.
  if (prepared.cli.name === 'command') return 'maybe'
  // What was done in the session before is still open, whatever this run did.
  if (request.session || reading.hasWorked || isUnread(reading, failure)) return 'maybe'
  if (ending?.by === 'watch') return 'none'
  const isCut = ending !== undefined || result.timedOut || result.stalled || ENDED_BY_OTHERS.has(failure.kind)
  return isCut ? 'maybe' : 'none'
}

/** A program that was called off before it began has neither exit code nor signal. */
function hasStarted({ aborted, exitCode, signal }: ProcessResult): boolean {
  return !(aborted && exitCode === null && signal === null)
}

/** Something was printed that may have been an answer. Words that tell of a known failure are none. */
function isUnread({ brokenLines, unknownEvents, plainLines }: Reading, failure: Failure): boolean {
  return brokenLines > 0 || unknownEvents > 0 || (plainLines > 0 && failure.class === 'unknown')
}
