import type { Time } from '../../../time/time.ts'

/** How long a request may still wait: waits count, the server's own work does not. */
export class WaitingTime {
  readonly #longestMs: number
  readonly #time: Time
  readonly #beganAt: number
  #workedMs = 0

  constructor(longestMs: number, time: Time) {
    this.#longestMs = longestMs
    this.#time = time
    this.#beganAt = time.monotonic()
  }

  get leftMs(): number {
    return Math.max(1, this.#longestMs - (this.#time.monotonic() - this.#beganAt - this.#workedMs))
  }

  async exceptFor<T>(work: () => Promise<T>): Promise<T> {
    const sentAt = this.#time.monotonic()
    try {
      return await work()
    } finally {
      this.#workedMs += this.#time.monotonic() - sentAt
    }
  }
}
