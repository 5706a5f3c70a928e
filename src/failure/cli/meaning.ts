import { isStopNotice } from '../observe/notice.ts'

/** What one event of an agent's output means for the run. */
export type EventMeaning =
  | {
      role: 'failed'
      content: unknown
      /** The agent asks again by itself, without telling. */
      asksAgain?: true
    }
  /** It gave up or was refused. An end that calls itself good does not take that back, only further work does. */
  | { role: 'stopped'; content: unknown }
  | { role: 'succeeded' }
  /** The run is over; good, unless a failure stands before it or the exit code says otherwise. */
  | { role: 'closed' }
  /** A step is over and no other was announced: the end of the run, unless it was stopped before the next one. */
  | { role: 'paused' }
  /** A turn or step begins: an earlier end was not the last one. */
  | { role: 'began' }
  | Retrying
  /** The agent tells of something that need not end the run: it counts only if nothing else is said. */
  | { role: 'warned'; content: unknown }
  /** Work was done: a turn, a tool, a piece of the answer. */
  | { role: 'worked' }
  | { role: 'ignored' }
  /** No event at all: plain data. */
  | { role: 'none' }

/** The agent repeats a request by itself: the cause it names counts only if nothing else is said. */
export interface Retrying {
  role: 'retrying'
  content: unknown
  /** What went wrong, where that is only a part of the content. */
  cause?: unknown
  /** How long it says that it waits, in milliseconds. */
  delayMs?: number | undefined
  /** It will go another way by itself when this one fails: only the time that it takes counts. */
  hasAnotherWay?: boolean
}

export const WORKED: EventMeaning = { role: 'worked' }
export const IGNORED: EventMeaning = { role: 'ignored' }
export const SUCCEEDED: EventMeaning = { role: 'succeeded' }
export const CLOSED: EventMeaning = { role: 'closed' }
export const PAUSED: EventMeaning = { role: 'paused' }
export const BEGAN: EventMeaning = { role: 'began' }
export const NONE: EventMeaning = { role: 'none' }
export const failed = (content: unknown): EventMeaning => ({ role: 'failed', content })
export const stopped = (content: unknown): EventMeaning => ({ role: 'stopped', content })
export const warned = (content: unknown): EventMeaning => ({ role: 'warned', content })
export const retrying = (content: unknown, more: Omit<Retrying, 'role' | 'content'> = {}): EventMeaning => ({
  role: 'retrying',
  content,
  ...more,
})

/** A good end, unless what it gives as the answer is a notice that there is none. */
export function answered(answer: unknown): EventMeaning {
  return typeof answer === 'string' && isStopNotice(answer) ? failed({ message: answer }) : SUCCEEDED
}
