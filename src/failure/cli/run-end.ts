import type { EventMeaning } from './meaning.ts'

/** How a run ended, as far as its events say so far. */
export class RunEnd {
  /** What the last event that ends a run said. */
  ended: 'succeeded' | 'failed' | undefined
  /** The last event says that the run is over, but not how. */
  isClosed = false
  /** The last event says only that a step is over. */
  isPaused = false
  /** The last failure is one that no good end takes back. */
  #isStopped = false

  /** Takes in the next event. Returns true if the run went on, so that failures before this event were overcome. */
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
