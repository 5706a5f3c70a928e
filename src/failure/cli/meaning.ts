import { isStopNotice } from '../observe/notice.ts'

/** What one event of an agent's output means for the run. */
export type EventMeaning =
  | {
      role: 'failed'
      content: unknown
      /** Set if the run reports success: only the model's answer says that it failed. */
      by?: 'model'
      /** The agent asks again on its own, without saying so. */
      asksAgain?: true
    }
  /** The agent gave up or was refused. A later success event does not take that back, only further work does. */
  | { role: 'stopped'; content: unknown }
  | { role: 'succeeded' }
  /** The run is over. A success, unless a failure came before it or the exit code says otherwise. */
  | { role: 'closed' }
  /** A step is over and no other was announced: the end of the run, unless it was stopped before the next step. */
  | { role: 'paused' }
  /** A turn or step begins, so an earlier end was not the last one. */
  | { role: 'began' }
  | Retrying
  /** The agent reports something that need not end the run. It counts only if nothing else is said. */
  | { role: 'warned'; content: unknown }
  /** Work was done: a turn, a tool, part of the answer. */
  | { role: 'worked' }
  | { role: 'ignored' }
  /** Not an event: plain data. */
  | { role: 'none' }

/** The agent repeats a request on its own. The cause it names counts only if nothing else is said. */
export interface Retrying {
  role: 'retrying'
  content: unknown
  /** What went wrong, if that is only part of the content. */
  cause?: unknown
  /** How long it says it will wait, in milliseconds. */
  delayMs?: number | undefined
  /** True if it switches to another transport when this one fails: then only the elapsed time counts. */
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

/** A success, unless the answer is a stop notice. */
export function answered(answer: unknown): EventMeaning {
  return typeof answer === 'string' && isStopNotice(answer)
    ? { role: 'failed', content: { message: answer }, by: 'model' }
    : SUCCEEDED
}

/** How a run ended, according to its events so far. */
export class EndByEvents {
  /** What the last terminal event said. */
  ended: 'succeeded' | 'failed' | undefined
  /** The last event says the run is over, but not how. */
  isClosed = false
  /** The last event says only that a step is over. */
  isPaused = false
  /** The last failure is one that no later success event takes back. */
  #isStopped = false

  /** Reads the next event. Returns true if the run went on, so earlier failures were overcome. */
  take({ role }: EventMeaning): boolean {
    if (role !== 'ignored') {
      this.isPaused = role === 'paused'
      this.isClosed = role === 'closed' || this.isPaused
    }
    switch (role) {
      case 'failed':
      case 'stopped':
        this.#isStopped ||= role === 'stopped'
        this.ended = 'failed'
        return false
      case 'succeeded':
      case 'closed':
      case 'paused':
        if ((role !== 'succeeded' || this.#isStopped) && this.ended === 'failed') return false
        this.ended = 'succeeded'
        return true
      case 'worked':
      case 'began':
        this.#isStopped = false
        this.ended = undefined
        return true
      default:
        return false
    }
  }
}
