import type { Time } from '../../time/time.ts'

/** Taken at once, because fake timers of Jest, Vitest or Sinon would never let a step end. */
const { setImmediate, setTimeout } = globalThis as Partial<typeof globalThis> & typeof globalThis

interface Timer {
  at: number
  order: number
  callback: () => void
}

/**
 * A clock that moves only when a test moves it. Timers fire in order of their time, and between two timers all ready
 * promises run, as on a real clock.
 */
export class FakeTime implements Time {
  #now: number
  #monotonic = 0
  #order = 0
  readonly #timers = new Set<Timer>()

  /** @param start first wall-clock time, epoch milliseconds. Default 2026-01-01 UTC. */
  constructor(start: number = Date.UTC(2026, 0, 1)) {
    this.#now = start
  }

  now(): number {
    return this.#now
  }

  monotonic(): number {
    return this.#monotonic
  }

  after(ms: number, callback: () => void): () => void {
    if (ms === Infinity) return () => {}
    const timer = { at: this.#monotonic + Math.max(0, ms), order: this.#order++, callback }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  /** Number of pending timers. Should be 0 once everything has settled. */
  get pending(): number {
    return this.#timers.size
  }

  /** Milliseconds until the next timer fires; undefined without timers. */
  get nextIn(): number | undefined {
    const next = this.#next()
    return next && next.at - this.#monotonic
  }

  /** Moves both clocks forward and fires the timers that come due. */
  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms
    await settle()
    for (let next = this.#next(); next && next.at <= end; next = this.#next()) {
      this.#move(next.at - this.#monotonic)
      this.#timers.delete(next)
      next.callback()
      await settle()
    }
    this.#move(end - this.#monotonic)
  }

  /** Moves forward until a promise settles, at most `limitMs`. */
  async until<T>(promise: Promise<T>, limitMs = 1e12): Promise<T> {
    let done = false
    promise.then(
      () => {
        done = true
      },
      () => {
        done = true
      },
    )
    const end = this.#monotonic + limitMs
    await settle()
    while (!done) {
      const next = this.#next()
      if (!next && (await happensOutside(() => done || this.#timers.size > 0))) continue
      if (!next || next.at > end)
        throw new Error(
          `the promise has not settled after ${this.#monotonic} ms, and no timer is left to fire`,
        )
      await this.advance(next.at - this.#monotonic)
    }
    return promise
  }

  /** Moves only the wall clock, as NTP or an operator would. */
  jump(ms: number): void {
    this.#now += ms
  }

  #move(ms: number): void {
    this.#monotonic += ms
    this.#now += ms
  }

  #next(): Timer | undefined {
    let next: Timer | undefined
    for (const timer of this.#timers) {
      if (!next || timer.at < next.at || (timer.at === next.at && timer.order < next.order)) next = timer
    }
    return next
  }
}

/** Runs all ready promises, including those that become ready meanwhile. */
async function settle(): Promise<void> {
  // Browsers and edge runtimes have no setImmediate.
  await new Promise<void>(resolve => (setImmediate ? setImmediate(resolve) : setTimeout(resolve, 0)))
}

const OUTSIDE_TURNS = 100
const OUTSIDE_TURN_MS = 20

/** Waits up to 2 s of real time for files, threads and sockets, which do not follow this clock. */
async function happensOutside(isDone: () => boolean): Promise<boolean> {
  for (let turn = 0; turn < OUTSIDE_TURNS && !isDone(); turn++)
    await new Promise<void>(resolve => setTimeout(resolve, OUTSIDE_TURN_MS))
  return isDone()
}
