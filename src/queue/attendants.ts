import type { Attendant, Attended } from './startable.ts'

/** Continues what a queue starts, while one of its runners runs: one attendant per kind. */
export class Attendants {
  readonly #queue: unknown
  readonly #onError: (error: unknown) => void
  readonly #kinds = new Map<symbol, { what: Attended; attendant?: Attendant }>()
  #isRunning = false

  constructor(queue: unknown, onError: (error: unknown) => void) {
    this.#queue = queue
    this.#onError = onError
  }

  /** From now on, there may be some of this kind. */
  add(what: Attended): void {
    if (this.#kinds.has(what.kind)) return
    this.#kinds.set(what.kind, { what })
    if (this.#isRunning) void this.start().catch(this.#onError)
  }

  /** A runner runs, so started work must continue too. */
  async start(): Promise<void> {
    this.#isRunning = true
    for (const entry of this.#kinds.values()) {
      if (entry.attendant) continue
      entry.attendant = entry.what.attend(this.#queue, this.#onError)
      await entry.attendant.start()
    }
  }

  /** Settles when no more writes will follow. */
  async stop(): Promise<void> {
    this.#isRunning = false
    const all = [...this.#kinds.values()]
    this.#kinds.clear()
    await Promise.all(all.map(({ attendant }) => attendant?.stop()))
  }
}
