import { isBanner } from '../text/lines.ts'
import { type AgentEvent, NO_TYPE } from './event.ts'
import { answered, type EventMeaning, failed, IGNORED, NONE, WORKED, warned } from './meaning.ts'
import type { AgentProfile, EventInterpreter, EventTable } from './profile.ts'
import { PROFILES } from './profiles.ts'
import type { Spending } from './spending.ts'

/**
 * What events mean, according to all profiles together, so the CLI need not be known. An event that one profile does not
 * recognise as its own is passed to the next.
 */

/** Events that several CLIs print in the same form. */
const SHARED: EventTable<EventMeaning> = { error: errorEvent }

/** Interpreters of all profiles, by event type. */
type Interpreters<T> = ReadonlyMap<string, readonly EventInterpreter<T>[]>

function interpretersOf<T>(
  tableOf: (profile: AgentProfile) => EventTable<T> | undefined,
  shared: EventTable<T> = {},
): Interpreters<T> {
  const interpreters = new Map<string, EventInterpreter<T>[]>()
  for (const table of [...PROFILES.map(tableOf), shared]) {
    for (const [type, interpreter] of Object.entries(table ?? {})) {
      const known = interpreters.get(type)
      // Forks share their interpreters.
      if (known === undefined) interpreters.set(type, [interpreter])
      else if (!known.includes(interpreter)) known.push(interpreter)
    }
  }
  return interpreters
}

function firstAnswer<T>(interpreters: Interpreters<T>, event: AgentEvent): T | undefined {
  const ofType = interpreters.get(event.type)
  if (ofType === undefined) return undefined
  for (let at = 0; at < ofType.length; at++) {
    const answer = (ofType[at] as EventInterpreter<T>)(event)
    if (answer !== undefined) return answer
  }
  return undefined
}

const OUTCOME = interpretersOf(profile => profile.outcome, SHARED)
const SPENDING = interpretersOf(profile => profile.spending)

/** Parts of an answer and uses of tools, also by unknown CLIs. */
const WORK = /^(?:tool[._]|item\.|assistant\.(?!turn_start)|text$|reasoning$|thinking$)/

/** What one event means for the run. */
export function meaningOf(event: AgentEvent): EventMeaning {
  const known = firstAnswer(OUTCOME, event)
  if (known !== undefined) return known
  if (event.type === NO_TYPE) return otherUntyped(event)
  if (WORK.test(event.type)) return WORKED
  return isRecord(event.fields) ? IGNORED : NONE
}

/** What one event says about turns, cost and tokens; undefined if nothing. */
export function spendingOf(event: AgentEvent): Spending | undefined {
  return firstAnswer(SPENDING, event)
}

/** True for the type of an event that reports the progress or end of a run. */
export function isEventType(type: string): boolean {
  return type !== NO_TYPE && OUTCOME.has(type)
}

/** Events of a stream always have one of these fields; other objects with a `type` are data. */
export function isRecord(fields: AgentEvent['fields']): boolean {
  return RECORD_FIELDS.some(name => fields.has(name))
}

const RECORD_FIELDS = ['timestamp', 'session_id', 'sessionID', 'ts', 'thread_id', 'uuid', 'parentId', 'done']

/** Fields that hold the session id. */
export const SESSION_FIELDS: readonly string[] = [
  ...new Set(PROFILES.flatMap(({ sessionField }) => sessionField ?? [])),
]

/** Roo puts its message in `content`, all others in `message`. */
function errorEvent(event: AgentEvent): EventMeaning {
  const message = event.get('message') ?? event.get('content')
  const goesOn =
    event.get('severity') === 'warning' ||
    event.get('recoverable') === true ||
    event.get('willRetry') === true
  if (goesOn || (typeof message === 'string' && isBanner(message))) return warned(event.value)
  return failed(event.has('content') ? { message } : event.value)
}

/** What an untyped object means that no profile recognises: a log line, a tool's result, an error. */
function otherUntyped(event: AgentEvent): EventMeaning {
  const level = event.get('level')
  if (level !== undefined && (event.has('msg') || event.has('message'))) return logLine(event, level)
  const tool = toolResult(event) ?? toolResult(event.inner('result')) ?? toolResult(event.inner('response'))
  if (tool) return tool
  const error = event.get('error')
  if (error !== undefined && error !== null && error !== '') return failed(event.value)
  const status = event.get('status')
  if (status === 'error' && event.has('message')) return failed(event.value)
  if (status === 'success' && event.has('response')) return answered(event.get('response'))
  return NONE
}

/** An MCP tool's result that a client printed: the text of a failed one is the failure. */
function toolResult(result: AgentEvent | undefined): EventMeaning | undefined {
  const flag = result?.get('isError') ?? result?.get('is_error')
  return result?.has('content') && flag === true ? failed([result.get('content')]) : undefined
}

/** A log line: pino numbers its levels, other loggers name them. */
function logLine({ value }: AgentEvent, level: unknown): EventMeaning {
  if (typeof level === 'number') return level >= 50 ? NONE : level >= 40 ? warned(value) : IGNORED
  if (/^(?:error|fatal|critical)/i.test(String(level))) return NONE
  return /^warn/i.test(String(level)) ? warned(value) : IGNORED
}
