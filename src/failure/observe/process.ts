import { trim } from '../text/trim.ts'
import { type Agent, ENDS_WITH_EVENT } from './agent.ts'
import { bytesAsText } from './bytes.ts'
import { Output } from './output.ts'
import type { Fields } from './read.ts'
import { Spent } from './spent.ts'
import { Stream } from './stream.ts'
import type { Walk } from './walk.ts'

/** How a finished process ended, as far as its own output says: by its last terminal event, or only by its exit. */
export type Ending = 'succeeded' | 'failed' | 'exited zero'

/** Reads the streams of a finished process into the observation, and says how it ended. */
export function observeProcess(walk: Walk, fields: Fields, provided: Agent | undefined): Ending {
  const exitCode = exitCodeOf(fields)
  const signal = typeof fields.get('signal') === 'string' ? (fields.get('signal') as string) : null
  const spent = new Spent()
  const stderr = new Stream(textOf(fields.get('stderr')), spent)
  const stdout = new Stream(textOf(fields.get('stdout')), spent)
  const agent = provided ?? stdout.agent ?? stderr.agent
  const output = new Output(walk, stdout, stderr, agent)
  const ended = endedBy(stdout, stderr, agent, exitCode)
  const { observation } = walk
  spent.writeTo(observation)
  observation.heard = [fields.get('stderr'), fields.get('stdout')].map(textOf).map(text => trim(text))
  observation.process = { exitCode, signal, agent, worked: output.worked || ended === 'succeeded' }
  if (agent !== undefined) word(walk, `agent=${agent}`)
  if (ended === 'succeeded') {
    output.readOnTheWay()
    return 'succeeded'
  }
  if (ended === undefined && exitCode === 0 && signal === null && !isCutOff(stdout, agent)) {
    return output.readLastWords() ? 'failed' : 'exited zero'
  }
  if (exitCode === 0 && ended === undefined) word(walk, 'ended=cut_off')
  output.readFailure(ended, signal !== null)
  observation.process.worked ||= output.worked
  readExit(walk, exitCode, signal, agent)
  return 'failed'
}

/** Output comes as text, or as bytes from those who named no encoding. */
function textOf(output: unknown): string {
  return typeof output === 'string' ? output : (bytesAsText(output) ?? '')
}

function exitCodeOf(fields: Fields): number | null {
  const exit =
    fields.get('exitCode') ?? fields.get('exit_code') ?? (fields.has('cmd') ? fields.get('code') : undefined)
  return typeof exit === 'number' ? exit : null
}

/** What the events say, stdout's before stderr's. Prose that quotes an event says nothing. */
function endedBy(
  stdout: Stream,
  stderr: Stream,
  agent: Agent | undefined,
  exitCode: number | null,
): Stream['ended'] {
  const stream = [stdout, stderr].find(({ isRecord, ended }) => isRecord && ended !== undefined)
  if (stream === undefined) return undefined
  // A program that exits 0 may answer with an object that has an `error`; only events prove that it failed.
  if (exitCode === 0 && stream.ended === 'failed' && !stream.isProven) return undefined
  const refuted = stream.ended === 'succeeded' && agent === 'gemini' && exitCode !== null && exitCode !== 0
  return refuted ? undefined : stream.ended
}

/** A stream of events whose last one is missing. */
function isCutOff(stdout: Stream, agent: Agent | undefined): boolean {
  return stdout.isRecord && agent !== undefined && stdout.agent === agent && ENDS_WITH_EVENT.has(agent)
}

function readExit(
  walk: Walk,
  exitCode: number | null,
  signal: string | null,
  agent: Agent | undefined,
): void {
  const { texts, statuses } = walk.observation
  const said = [...texts, ...statuses]
  // Where nothing but banners was said, a code of the program's own choice knows no more than they do.
  const late = exitCode !== null && exitCode < 128 && said.length > 0 && said.every(part => part.late)
  if (exitCode !== null) word(walk, `exit=${exitCode}`, late)
  if (signal) word(walk, `signal=${signal.toLowerCase()}`)
  // With JSON output these two exit with the HTTP status, of which the system keeps the low eight bits.
  const status = (exitCode ?? 0) + 256
  if ((agent === 'gemini' || agent === 'qwen') && status >= 400 && status < 512) {
    statuses.push({ value: status, where: 'process.exitCode', depth: 0, late: false })
  }
}

function word(walk: Walk, value: string, late = false): void {
  walk.observation.words.push({ value, where: 'process', depth: 0, late })
}
