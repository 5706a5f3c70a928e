import { bytesAsText } from './bytes.ts'
import { elements, type Fields, isList, isObject } from './read.ts'

/** A finished process, read from any library's shape. */
export interface FinishedProcess {
  exitCode: number | null
  signal: string | null
  stdout: string
  stderr: string
  /** True if the library that ran it says its timer ended it. */
  timedOut: boolean
  /** True if the library that ran it says the caller cancelled it. */
  aborted: boolean
  /** The error of the run itself, besides the streams: program not found, output buffer full. */
  beside: object | undefined
}

/** Fields that some libraries keep on the prototype, such as zx. */
export const PROCESS_FIELDS: readonly string[] = 'exitCode signal stdout stderr timedOut killed'.split(' ')

/** Field names of the exit code. */
export const EXIT: readonly string[] =
  'exitCode exit_code returncode return_code exitStatus exit_status'.split(' ')
const EXIT_OR_STATUS = [...EXIT, 'code', 'status']
const STREAMS = ['stdout', 'stderr', 'all', 'stdall', 'output']
const TIMED_OUT = ['timedOut', 'timed_out']
const ABORTED = ['isCanceled', 'is_canceled', 'isCancelled', 'isGracefullyCanceled']

/**
 * Reads the shapes in which programs report a finished process: our own, `spawnSync`'s, the errors of `exec` and
 * `execFile`, execa's, zx's, Python's. Undefined for everything else.
 */
export function finishedProcess(fields: Fields): FinishedProcess | undefined {
  if (!isFinishedProcess(fields)) return undefined
  const signal = fields.get('signal')
  const isKilled = fields.get('killed') === true && typeof signal === 'string'
  return {
    exitCode: exitCodeOf(fields),
    signal: typeof signal === 'string' && signal !== '' ? signal : null,
    ...streamsOf(fields),
    timedOut: isAny(fields, TIMED_OUT) || isKilled || timerFired(fields),
    aborted: isAny(fields, ABORTED),
    beside: besideStreams(fields),
  }
}

export function isFinishedProcess(fields: Fields): boolean {
  const speaks = fields.has('stdout') || fields.has('stderr')
  if (EXIT.some(name => isExit(fields, name)))
    return speaks || fields.has('signal') || fields.has('all') || typeof fields.get('output') === 'string'
  if (fields.has('cmd')) return fields.has('killed') || fields.has('stderr')
  // execa omits the exit code of a process that never started.
  if (fields.has('shortMessage') && fields.has('command') && fields.has('failed')) return true
  if (fields.has('headers') || fields.has('body')) return false
  if (fields.has('signal') && typeof fields.get('pid') === 'number') return true
  if (!speaks) return false
  return fields.has('signal') || isExit(fields, 'code') || isExit(fields, 'status')
}

/** A number, or null for "killed or never started". */
function isExit(fields: Fields, name: string): boolean {
  const value = fields.get(name)
  return value === null || Number.isInteger(value)
}

function exitCodeOf(fields: Fields): number | null {
  for (const name of EXIT_OR_STATUS) {
    const value = fields.get(name)
    if (typeof value === 'number' && Number.isInteger(value)) return value
  }
  return null
}

function streamsOf(fields: Fields): { stdout: string; stderr: string } {
  const [, second, third] = elements(fields.get('output'), 3)
  const stdout = textOf(fields.get('stdout') ?? second)
  const stderr = textOf(fields.get('stderr') ?? third)
  if (stdout !== '' || stderr !== '') return { stdout, stderr }
  // Both streams in one: they cannot be told apart.
  const both = fields.get('all') ?? fields.get('stdall') ?? fields.get('errors') ?? fields.get('output')
  return { stdout: textOf(both), stderr }
}

const MOST_LINES = 100_000

/** Output comes as text, as lines, or as bytes if the caller named no encoding. */
function textOf(output: unknown): string {
  if (typeof output === 'string') return output
  const text = bytesAsText(output)
  if (text !== undefined) return text
  return elements(output, MOST_LINES)
    .filter(line => typeof line === 'string')
    .join('\n')
}

function isAny(fields: Fields, names: readonly string[]): boolean {
  return names.some(name => fields.get(name) === true)
}

/** `spawnSync` reports its own timeout as an error next to the signal. */
function timerFired(fields: Fields): boolean {
  const error = fields.get('error')
  return isObject(error) && (error as { code?: unknown }).code === 'ETIMEDOUT' && fields.has('pid')
}

/** Fields of the run's error that only repeat the streams or the command. */
const REPEATED = new Set([...STREAMS, ...EXIT, ...TIMED_OUT, ...ABORTED, 'stdio', 'signal', 'cmd', 'command'])

function besideStreams(fields: Fields): object | undefined {
  const isError =
    fields.has('message') || isObject(fields.get('error')) || typeof fields.get('code') === 'string'
  if (!isError) return undefined
  const said = [...fields].filter(([name, value]) => {
    if (name === 'code' || name === 'status') return typeof value === 'string'
    if (name === 'message' || name === 'shortMessage') return !repeats(String(value), fields)
    return !REPEATED.has(name) && !isList(value)
  })
  return Object.fromEntries(said)
}

/** True for a message that quotes a stream, or the command, whose arguments can say anything. */
function repeats(message: string, fields: Fields): boolean {
  if (/^Command (?:failed|was|timed out)|^Command's \w+ was/.test(message)) return true
  const quoted = ['cmd', 'command', 'escapedCommand', 'stdout', 'stderr'].map(name => fields.get(name))
  return quoted.some(text => typeof text === 'string' && text.trim() !== '' && message.includes(text.trim()))
}
