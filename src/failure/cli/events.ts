import { isBanner } from '../text/lines.ts'
import { type AgentEvent, NO_TYPE } from './event.ts'
import { type EventMeaning, failed, IGNORED, NONE, WORKED, warned } from './meaning.ts'
import type { AgentProfile, EventInterpreter, EventTable } from './profile.ts'
import { PROFILES } from './profiles.ts'
import type { Spending } from './spending.ts'
import { otherUntyped } from './untyped.ts'

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
