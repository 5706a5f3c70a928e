import { sortLines } from '../text/lines.ts'
import { trim } from '../text/trim.ts'
import { agentOf } from './agent.ts'
import { KNOWN_FIELDS } from './fields.ts'
import { readHttpAnswer } from './http.ts'
import { readMentions } from './mentions.ts'
import { emptyObservation, type Observation } from './observation.ts'
import { type Ending, observeProcess } from './process.ts'
import { type Fields, isList, isObject, Reader } from './read.ts'
import { meaningOfValue } from './value.ts'
import { Walk } from './walk.ts'

/** How an input was read: what it says, and whether its shape already says success. */
export interface Reading {
  observation: Observation
  ending: Ending
  /** True where the input's own fields say that the caller's timer ended it. */
  timedOut: boolean
}

export interface ObserveContext {
  provider?: string | undefined
  returned?: boolean | undefined
}

/** Reads an input of any shape: string, error, HTTP response, finished process, returned value. */
export function observe(given: unknown, context: ObserveContext): Reading {
  const reader = new Reader(KNOWN_FIELDS)
  const input = isList(given) ? reader.list(given as object) : given
  if (context.returned && isFine(input, reader)) return FINE_READING
  const walk = new Walk(reader)
  const { ending, timedOut } = read(walk, input, context)
  const { observation } = walk
  if (observation.heard.length === 0) observation.heard = observation.texts.map(text => text.value)
  observation.texts = observation.texts.flatMap(text => {
    const { final, late, timerFired } = sortLines(trim(text.value))
    if (timerFired)
      observation.words.push({ value: 'frame=timer', where: text.where, depth: text.depth, late: false })
    const parts = []
    if (final.trim() !== '') parts.push({ ...text, value: final })
    if (late.trim() !== '') parts.push({ ...text, value: late, late: true })
    return parts
  })
  for (const text of observation.texts) readMentions(observation, text)
  return { observation, ending, timedOut }
}

/** Most calls succeed: whether a returned value tells of no failure is asked before anything is built to explain one. */
function isFine(input: unknown, reader: Reader): boolean {
  if (!isObject(input)) return true
  const fields = reader.fields(input)
  if (isProcess(fields) || isError(input, fields) || isHttp(fields)) return false
  return meaningOfValue(input, object => reader.fields(object)).says !== 'failed'
}

const FINE_READING: Reading = Object.freeze({
  observation: emptyObservation(),
  ending: 'succeeded',
  timedOut: false,
})

type Outcome = { ending: Ending; timedOut: boolean }
const FAILED: Outcome = { ending: 'failed', timedOut: false }
const SUCCEEDED: Outcome = { ending: 'succeeded', timedOut: false }

function read(walk: Walk, input: unknown, context: ObserveContext): Outcome {
  if (typeof input === 'string') {
    walk.read(trim(input), 'text')
    return FAILED
  }
  if (!isObject(input)) {
    walk.text(describe(input), 'value')
    return FAILED
  }
  const fields = walk.fields(input)
  if (isProcess(fields)) return readProcess(walk, input, fields, context)
  if (isError(input, fields)) {
    walk.read(input, 'error')
    return FAILED
  }
  if (isHttp(fields)) return readHttpAnswer(walk, fields) ? FAILED : SUCCEEDED
  return readValue(walk, input, context)
}

function readProcess(walk: Walk, input: object, fields: Fields, context: ObserveContext): Outcome {
  const ending = observeProcess(walk, fields, agentOf(context.provider))
  if (isAnswerByExitCode(fields)) return SUCCEEDED
  const killed = fields.get('killed') === true && typeof fields.get('signal') === 'string'
  // An Error of child_process carries more than the process did, unless its message only repeats the command.
  if (ending !== 'succeeded' && isError(input, fields) && !fields.has('cmd')) walk.read(input, 'error')
  else if (typeof fields.get('code') === 'string')
    walk.read(Object.fromEntries([...fields].filter(([field]) => SPAWN_FIELDS.has(field))), 'error')
  return { ending, timedOut: fields.get('timedOut') === true || killed }
}

/** What an error of child_process says beyond what its streams said. */
const SPAWN_FIELDS = new Set(['name', 'message', 'code', 'cause', 'syscall', 'errno'])

/** diff, grep and their kin answer with exit code 1; they complain on stderr. */
function isAnswerByExitCode(fields: Fields): boolean {
  const command = fields.get('command') ?? fields.get('cmd')
  const code = fields.get('exitCode') ?? fields.get('code')
  if (code !== 1 || typeof command !== 'string' || fields.get('stderr') !== '') return false
  return /^\s*(?:diff|cmp|grep|egrep|fgrep|zgrep|rg|test|\[|pgrep|git (?:diff|grep|merge-base))\s/.test(
    command,
  )
}

function readValue(walk: Walk, input: object, context: ObserveContext): Outcome {
  const meaning = meaningOfValue(input, object => walk.fields(object))
  if (meaning.says === 'fine' || (meaning.says === 'silent' && context.returned)) return SUCCEEDED
  walk.read(meaning.says === 'failed' ? meaning.content : input, 'value')
  return FAILED
}

function isProcess(fields: Fields): boolean {
  if (fields.has('exitCode') || fields.has('exit_code'))
    return fields.has('stdout') || fields.has('stderr') || fields.has('signal')
  return fields.has('cmd') && (fields.has('killed') || fields.has('stderr'))
}

function isError(input: object, fields: Fields): boolean {
  if (input instanceof Error) return true
  return (
    typeof fields.get('message') === 'string' &&
    (fields.has('name') || fields.has('stack') || fields.has('constructorName'))
  )
}

function isHttp(fields: Fields): boolean {
  const status = fields.get('status') ?? fields.get('statusCode')
  if (typeof status !== 'number' || status < 100 || status > 599) return false
  return fields.has('headers') || fields.has('body') || fields.has('statusText')
}

function describe(value: unknown): string {
  try {
    return String(value)
  } catch {
    return typeof value
  }
}
