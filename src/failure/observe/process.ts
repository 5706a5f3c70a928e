import type { AgentProfile } from '../cli/profile.ts'
import { trim } from '../text/cut.ts'
import type { FinishedProcess } from './finished-process.ts'
import { Output } from './output.ts'
import { SpentSoFar } from './spent-so-far.ts'
import { type Stream, streamOf } from './stream.ts'
import type { Walk } from './walk.ts'

/** The place of facts that only the end of a process tells: exit code, signal, a truncated record. */
export const END_OF_PROCESS = 'process'

/**
 * How a finished process ended: by its last terminal event, or only by its exit. `seems over` counts as success, unless
 * the process was stopped.
 */
export type Ending = 'succeeded' | 'seems over' | 'failed' | 'exited zero'

/**
 * Whose words a program printed: its own; those of others, if the program is known to show what it was asked for; or part
 * of a tool's returned value, in which only failure shapes count.
 */
export type Words = 'its own' | 'of others' | 'returned'

/**
 * Reads the streams of a finished process into the observation, and says how it ended.
 *
 * @param words whose words it printed
 */
export function observeProcess(
  walk: Walk,
  finished: FinishedProcess,
  provided: AgentProfile | undefined,
  words: Words = 'its own',
): Ending {
  const { exitCode, signal } = finished
  const spent = new SpentSoFar()
  const stderr = streamOf(finished.stderr, spent)
  const stdout = streamOf(finished.stdout, spent)
  const agent = provided ?? stdout.agent ?? stderr.agent
  const output = new Output(walk, stdout, stderr, agent)
  const ended = endedBy(stdout, stderr, agent, exitCode)
  const { observation } = walk
  spent.writeTo(observation)
  for (const where of ['stderr', 'stdout'] as const)
    if (finished[where].trim() !== '') observation.heard.push({ value: finished[where], where })
  observation.process = {
    exitCode,
    signal,
    agent: agent?.name,
    worked: output.worked || ended === 'succeeded',
    printed: trim(finished.stdout).trim(),
  }
  if (agent !== undefined) word(walk, `agent=${agent.name}`)
  const exitedZero = exitCode === 0 && signal === null
  if (exitedZero && words === 'of others' && finished.stdout.trim() !== '') return 'succeeded'
  if (ended === 'succeeded') {
    output.readOnTheWay()
    return stdout.isPaused ? 'seems over' : 'succeeded'
  }
  if (ended === undefined && exitedZero && !isCutOff(stdout, agent)) {
    if (agent === undefined && output.readDocument()) return 'failed'
    if (agent === undefined && words === 'returned') {
      output.readOnTheWay()
      return 'succeeded'
    }
    return output.readLastWords() ? 'failed' : 'exited zero'
  }
  // Without a known exit, a record that lacks its end is the only sign.
  if (!exitCode && signal === null && ended === undefined && isCutOff(stdout, agent))
    word(walk, 'ended=cut_off')
  output.readFailure(ended, signal !== null)
  observation.process.worked ||= output.worked
  readExit(walk, exitCode, signal, agent)
  return 'failed'
}

/** What the events say, stdout before stderr. Prose that quotes an event says nothing. */
function endedBy(
  stdout: Stream,
  stderr: Stream,
  agent: AgentProfile | undefined,
  exitCode: number | null,
): Stream['ended'] {
  const stream = [stdout, stderr].find(({ isRecord, ended }) => isRecord && ended !== undefined)
  if (stream === undefined) return undefined
  // A program that exits 0 may answer with an object that has an `error`; only an agent's events prove failure.
  if (exitCode === 0 && stream.ended === 'failed' && !stream.isProven) return undefined
  const mayLie = agent?.exitCodeOverrulesSuccess || stream.isClosed
  const refuted = stream.ended === 'succeeded' && mayLie && exitCode !== null && exitCode !== 0
  return refuted ? undefined : stream.ended
}

/** True for a stream of events that lacks its last one. */
function isCutOff(stdout: Stream, agent: AgentProfile | undefined): boolean {
  if (stdout.breaksOff === 'answer' && agent === undefined) return true
  if (!agent?.endsWithEvent) return false
  if (stdout.breaksOff) return true
  return stdout.isRecord && stdout.hasEvents && (stdout.agent ?? agent) === agent
}

function readExit(
  walk: Walk,
  exitCode: number | null,
  signal: string | null,
  agent: AgentProfile | undefined,
): void {
  const { texts, statuses } = walk.observation
  const said = [...texts, ...statuses]
  // If only banners were printed, an exit code that the program chose knows no more than they do.
  const late = exitCode !== null && exitCode < 128 && said.length > 0 && said.every(part => part.late)
  if (exitCode !== null) word(walk, `exit=${exitCode}`, late)
  if (signal) word(walk, `signal=${signal.toLowerCase()}`)
  const status = (exitCode ?? 0) + 256
  if (agent?.exitsWithStatus && status >= 400 && status < 512) {
    statuses.push({ value: status, where: 'process.exitCode', depth: 0, late: false, quoted: undefined })
  }
}

function word(walk: Walk, value: string, late = false): void {
  walk.named(value, { where: END_OF_PROCESS, depth: 0, late })
}
