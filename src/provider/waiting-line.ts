import type { Time } from '../time/time.ts'
import type { BreakerCell } from './breaker-cell.ts'
import type { Choice } from './gate.ts'

/** When a provider comes back, waiting calls are spread over this many milliseconds: all at once would bury it again. */
export const SPREAD_MS = 1_000

/** No provider admits now, but one may any moment; ask again after this long at the latest. */
export interface Wait {
  waitMs: number
}

/** The answer to a request. */
export type Answer = Choice | Promise<Choice> | Wait

/** A call that wants to wait. */
export interface Waiting {
  /** When it began to wait, in monotonic milliseconds: the longest wait goes first. */
  since: number
  /** Asks again for a provider. */
  ask: () => Answer
  signal: AbortSignal | undefined
}

interface Waiter extends Waiting {
  resolve: (choice: Choice | Promise<Choice>) => void
  reject: (error: unknown) => void
  cancelTimer: () => void
  stopListening: () => void
}

/** Calls that wait behind a probe or running calls, because a provider may admit them any moment. */
export class WaitingLine {
  readonly #time: Time
  readonly #random: () => number
  #waiters: Waiter[] = []

  /** @param random in [0, 1) */
  constructor(time: Time, random: () => number) {
    this.#time = time
    this.#random = random
  }

  get size(): number {
    return this.#waiters.length
  }

  /** Waits, and asks again when something changes. An aborted call leaves the line and takes no turn. */
  join(waiting: Waiting, wait: Wait): Promise<Choice> {
    return new Promise((resolve, reject) => {
      const { signal } = waiting
      const onAbort = () => this.#leave(waiter)
      const stopListening = () => signal?.removeEventListener('abort', onAbort)
      const waiter: Waiter = { ...waiting, resolve, reject, cancelTimer: () => {}, stopListening }
      signal?.addEventListener('abort', onAbort, { once: true })
      if (signal?.aborted) this.#leave(waiter)
      else this.#enter(waiter, wait)
    })
  }

  /** Something changed: all ask again, the longest wait first. */
  wake(): void {
    for (const waiter of this.#takeAll()) this.#ask(waiter)
  }

  /** A provider came back: the longest wait goes at once, the others follow, spread over a second. */
  wakeSpread(): void {
    this.#takeAll().forEach((waiter, index) => {
      if (index === 0) this.#ask(waiter)
      else waiter.cancelTimer = this.#time.after(this.#random() * SPREAD_MS, () => this.#ask(waiter))
    })
  }

  /** A probe has ended, and may have closed its breaker. */
  wakeAfterProbe(breaker: Pick<BreakerCell, 'at'>): void {
    if (breaker.at(this.#time.now()).state === 'closed') this.wakeSpread()
    else this.wake()
  }

  #enter(waiter: Waiter, { waitMs }: Wait): void {
    waiter.cancelTimer = this.#time.after(waitMs, () => {
      this.#waiters = this.#waiters.filter(other => other !== waiter)
      this.#ask(waiter)
    })
    this.#waiters.push(waiter)
  }

  #leave(waiter: Waiter): void {
    waiter.cancelTimer()
    this.#waiters = this.#waiters.filter(other => other !== waiter)
    waiter.reject(waiter.signal?.reason)
  }

  #takeAll(): Waiter[] {
    const waiters = this.#waiters
    this.#waiters = []
    for (const { cancelTimer } of waiters) cancelTimer()
    return waiters.sort((a, b) => a.since - b.since)
  }

  /** A waiter that must keep waiting keeps its promise: nesting a new one in it would pile up with every turn. */
  #ask(waiter: Waiter): void {
    const { ask, resolve, reject, stopListening } = waiter
    try {
      const answer = ask()
      if ('waitMs' in answer) {
        this.#enter(waiter, answer)
        return
      }
      resolve(answer)
    } catch (error) {
      reject(error)
    }
    stopListening()
  }
}
