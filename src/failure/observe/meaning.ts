import { isStopNotice } from './notice.ts'
import { elements, type Fields, isObject } from './read.ts'

/**
 * What one line of an agent's JSON output means for the run. Families: Claude-like `result` lines (claude,
 * qwen, amp, cursor, droid), Codex's turns, opencode's steps, gemini's single object, copilot's session
 * events, cline's and roo's results, goose's and kimi's messages, OpenHands' kinds.
 */
export type EventMeaning =
  | { role: 'failed'; content: unknown }
  /** It gave up or was refused. An end that calls itself good does not take that back, only further work does. */
  | { role: 'stopped'; content: unknown }
  | { role: 'succeeded' }
  /** The run is over; good, unless a failure stands before it or the exit code says otherwise. */
  | { role: 'closed' }
  /** A step is over and no other was announced: the end of the run, unless it was stopped before the next one. */
  | { role: 'paused' }
  /** A turn or step begins: an earlier end was not the last one. */
  | { role: 'began' }
  /** The agent tries again by itself: the cause it names counts only if nothing else is said. */
  | { role: 'retrying'; content: unknown }
  /** Work was done: a turn, a tool, a piece of the answer. */
  | { role: 'worked' }
  | { role: 'ignored' }
  /** No event at all: plain data. */
  | { role: 'none' }

export type ReadFields = (value: object) => Fields

export const WORKED: EventMeaning = { role: 'worked' }
export const IGNORED: EventMeaning = { role: 'ignored' }
export const SUCCEEDED: EventMeaning = { role: 'succeeded' }
export const CLOSED: EventMeaning = { role: 'closed' }
export const PAUSED: EventMeaning = { role: 'paused' }
export const BEGAN: EventMeaning = { role: 'began' }
export const NONE: EventMeaning = { role: 'none' }
export const failed = (content: unknown): EventMeaning => ({ role: 'failed', content })
export const stopped = (content: unknown): EventMeaning => ({ role: 'stopped', content })
export const retrying = (content: unknown): EventMeaning => ({ role: 'retrying', content })

/** A good end, unless what it gives as the answer is a notice that there is none. */
export function answered(answer: unknown): EventMeaning {
  return typeof answer === 'string' && isStopNotice(answer) ? failed({ message: answer }) : SUCCEEDED
}

export function inner(fields: Fields, key: string, read: ReadFields): Fields | undefined {
  const value = fields.get(key)
  return isObject(value) ? read(value) : undefined
}

/** The texts of a message in parts. */
export function textsOf(message: unknown, read: ReadFields): string[] {
  if (!isObject(message)) return []
  const parts = elements(read(message).get('content'), 8).filter(isObject)
  return parts.map(part => read(part).get('text')).filter(text => typeof text === 'string')
}
