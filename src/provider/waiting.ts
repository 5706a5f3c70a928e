import type { Choice, GateRequest } from './gate.ts'
import type { Surroundings } from './surroundings.ts'

/** The longest that a call waits, after a provider came back, for its turn: all at once would bury it again. */
export const SPREAD_MS = 1_000

interface Waiter {
  request: GateRequest
  since: number
  resolve: (choice: Choice | Promise<Choice>) => void
}

/** Calls that nobody admits now, but somebody may any moment: behind a probe, or behind calls that run. */
export class Waiting {
  readonly #surroundings: Surroundings
  readonly #choose: (request: GateRequest) => Choice | Promise<Choice>
  #waiters: Waiter[] = []

  constructor(surroundings: Surroundings, choose: (request: GateRequest) => Choice | Promise<Choice>) {
    this.#surroundings = surroundings
    this.#choose = choose
  }

  get size(): number {
    return this.#waiters.length
  }

  /** Asks again when something changed. */
  add(request: GateRequest): Promise<Choice> {
    const since = request.since ?? this.#surroundings.time.monotonic()
    return new Promise(resolve => this.#waiters.push({ request: { ...request, since }, since, resolve }))
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
      else time.after(random() * SPREAD_MS, () => this.#ask(waiter))
    })
  }

  #taken(): Waiter[] {
    const waiters = this.#waiters
    this.#waiters = []
    return waiters.sort((a, b) => a.since - b.since)
  }

  #ask({ request, resolve }: Waiter): void {
    resolve(this.#choose(request))
  }
}
