import type { EventMeaning } from './meaning.ts'

/** How a run ended, according to its events so far. */
export class RunEnd {
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
