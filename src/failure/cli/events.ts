import { isBanner } from '../text/lines.ts'
import { type AgentEvent, NO_TYPE } from './event.ts'
import { type EventMeaning, failed, IGNORED, NONE, WORKED, warned } from './meaning.ts'
import type { AgentProfile, EventInterpreter, EventTable } from './profile.ts'
import { PROFILES } from './profiles.ts'
import type { Spending } from './spending.ts'
import { otherUntyped } from './untyped.ts'

/**
 * What events mean, by all profiles together: whose event it is need not be known, and an event that a profile does
 * not take for its own is asked of the next.
 */

/** Events as several CLIs print them, in no manner of their own. */
const SHARED: EventTable<EventMeaning> = { error: errorEvent }

/** Interpreters of all profiles by the type of event. */
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

/** Parts of an answer and uses of tools, also of CLIs that we do not know. */
const WORK = /^(?:tool[._]|item\.|assistant\.(?!turn_start)|text$|reasoning$|thinking$)/

/** What one event of an agent's output means for the run. */
export function meaningOf(event: AgentEvent): EventMeaning {
  const known = firstAnswer(OUTCOME, event)
  if (known !== undefined) return known
  if (event.type === NO_TYPE) return otherUntyped(event)
  if (WORK.test(event.type)) return WORKED
  return isRecord(event.fields) ? IGNORED : NONE
}

/** What one event tells of turns, cost and tokens; undefined if nothing. */
export function spendingOf(event: AgentEvent): Spending | undefined {
  return firstAnswer(SPENDING, event)
}

/** True for the type of an event that tells how a run goes. */
export function isEventType(type: string): boolean {
  return type !== NO_TYPE && OUTCOME.has(type)
}

/** Lines of a stream always carry one of these; other objects with a `type` are data. */
export function isRecord(fields: AgentEvent['fields']): boolean {
  return RECORD_FIELDS.some(name => fields.has(name))
}

const RECORD_FIELDS = ['timestamp', 'session_id', 'sessionID', 'ts', 'thread_id', 'uuid', 'parentId', 'done']

/** Fields that hold the id of a session. */
export const SESSION_FIELDS: readonly string[] = [
  ...new Set(PROFILES.flatMap(({ sessionField }) => sessionField ?? [])),
]

/** Roo puts its sentence into `content`, all others into `message`. */
function errorEvent(event: AgentEvent): EventMeaning {
  const message = event.get('message') ?? event.get('content')
  const goesOn =
    event.get('severity') === 'warning' ||
    event.get('recoverable') === true ||
    event.get('willRetry') === true
  if (goesOn || (typeof message === 'string' && isBanner(message))) return warned(event.value)
  return failed(event.has('content') ? { message } : event.value)
}
