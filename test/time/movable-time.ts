import { realTime, type Time } from '../../src/time/time.ts'

interface Waiting {
  /** Due time on the moved monotonic clock. */
  at: number
  callback: () => void
  stop: () => void
}

/** Real time that a test can move forward: both clocks jump, and timers that come due fire in order. */
export class MovableTime implements Time {
  readonly #real: Time
  readonly #timers = new Set<Waiting>()
  #moved = 0

  constructor(real: Time = realTime) {
    this.#real = real
  }

  now(): number {
    return this.#real.now() + this.#moved
  }

  monotonic(): number {
    return this.#real.monotonic() + this.#moved
  }

  after(ms: number, callback: () => void): () => void {
    if (ms === Infinity) return () => {}
    const timer = this.#arm({ at: this.monotonic() + ms, callback, stop: () => {} })
    return () => {
      this.#timers.delete(timer)
      timer.stop()
    }
  }

  advance(ms: number): void {
    this.#moved += ms
    for (const timer of [...this.#timers].sort((a, b) => a.at - b.at)) {
      timer.stop()
      this.#arm(timer)
    }
  }

  #arm(timer: Waiting): Waiting {
    this.#timers.add(timer)
    timer.stop = this.#real.after(Math.max(0, timer.at - this.monotonic()), () => {
      this.#timers.delete(timer)
      timer.callback()
    })
    return timer
  }
}
