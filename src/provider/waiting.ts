import type { BreakerCell } from './breaker-cell.ts'
import type { Choice, GateRequest } from './gate.ts'
import type { Surroundings } from './surroundings.ts'

/** The longest that a call waits, after a provider came back, for its turn: all at once would bury it again. */
export const SPREAD_MS = 1_000

/** Nobody admits now, but somebody may any moment; at the latest after so long it is worth asking again. */
export interface Wait {
  waitMs: number
}

/** What became of a request. */
export type Answer = Choice | Promise<Choice> | Wait

interface Waiter {
  request: GateRequest
  /** Monotonic milliseconds. */
  since: number
  resolve: (choice: Choice | Promise<Choice>) => void
  reject: (error: unknown) => void
  cancelTimer: () => void
  stopListening: () => void
}

/** Calls that nobody admits now, but somebody may any moment: behind a probe, or behind calls that run. */
export class Waiting {
  readonly #surroundings: Surroundings
  readonly #choose: (request: GateRequest, since: number) => Answer
  #waiters: Waiter[] = []

  constructor(surroundings: Surroundings, choose: (request: GateRequest, since: number) => Answer) {
    this.#surroundings = surroundings
    this.#choose = choose
  }

  get size(): number {
    return this.#waiters.length
  }

  /** Asks again when something changed. Whoever gives up leaves the line, and takes no turn. */
  add(request: GateRequest, since: number, wait: Wait): Promise<Choice> {
    return new Promise((resolve, reject) => {
      const { signal } = request
      const onAbort = () => this.#leave(waiter)
      const stopListening = () => signal?.removeEventListener('abort', onAbort)
      const waiter: Waiter = { request, since, resolve, reject, cancelTimer: () => {}, stopListening }
      signal?.addEventListener('abort', onAbort, { once: true })
      if (signal?.aborted) this.#leave(waiter)
      else this.#enter(waiter, wait)
    })
  }

  /** Something changed: all ask again, the longest wait first. */
  wake(): void {
    for (const waiter of this.#taken()) this.#ask(waiter)
  }

  /** A provider came back: the longest wait goes at once, the others follow spread over a while. */
  wakeSpread(): void {
    const { time, random } = this.#surroundings
    this.#taken().forEach((waiter, index) => {
      if (index === 0) this.#ask(waiter)
      else waiter.cancelTimer = time.after(random() * SPREAD_MS, () => this.#ask(waiter))
    })
  }

  /** A probe has ended, and told whether its provider is back. */
  wakeAfterProbe(breaker: Pick<BreakerCell, 'at'>): void {
    if (breaker.at(this.#surroundings.time.now()).state === 'closed') this.wakeSpread()
    else this.wake()
  }

  #enter(waiter: Waiter, { waitMs }: Wait): void {
    waiter.cancelTimer = this.#surroundings.time.after(waitMs, () => {
      this.#waiters = this.#waiters.filter(other => other !== waiter)
      this.#ask(waiter)
    })
    this.#waiters.push(waiter)
  }

  #leave(waiter: Waiter): void {
    waiter.cancelTimer()
    this.#waiters = this.#waiters.filter(other => other !== waiter)
    waiter.reject(waiter.request.signal?.reason)
  }

  #taken(): Waiter[] {
    const waiters = this.#waiters
    this.#waiters = []
    for (const { cancelTimer } of waiters) cancelTimer()
    return waiters.sort((a, b) => a.since - b.since)
  }

  /** Whoever has to go on waiting keeps its promise: one within the other would pile up with every turn. */
  #ask(waiter: Waiter): void {
    const { request, since, resolve, reject, stopListening } = waiter
    try {
      const answer = this.#choose(request, since)
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
