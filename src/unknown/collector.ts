import type { Ledger } from '../ledger/ledger.ts'
import type { Time } from '../time/time.ts'
import { collectUnknowns } from './collect.ts'

/** How long to wait after a change, so that many are collected at once, in milliseconds. */
const GATHER_MS = 250

/** What a collector works with. */
export interface CollectorDeps {
  ledger: Ledger
  time: Time
  /** Told of what went wrong; it tries again at the next change. */
  onError: (error: unknown) => void
}

/** Collects unknowns as they come, until it is closed. */
export class UnknownCollector {
  readonly #deps: CollectorDeps
  readonly #stop = new AbortController()
  readonly #stopListening: () => void
  #cancelTimer: (() => void) | undefined
  #collecting: Promise<void> = Promise.resolve()

  constructor(deps: CollectorDeps) {
    this.#deps = deps
    this.#stopListening = deps.ledger.onChange(() => this.#soon())
    this.#soon()
  }

  /** Collects nothing more. Settles when what is being written is. */
  async close(): Promise<void> {
    this.#stop.abort()
    this.#stopListening()
    this.#cancelTimer?.()
    await this.#collecting
  }

  #soon(): void {
    this.#cancelTimer ??= this.#deps.time.after(GATHER_MS, () => {
      this.#cancelTimer = undefined
      if (!this.#stop.signal.aborted) this.#collecting = this.#collecting.then(() => this.#collect())
    })
  }

  async #collect(): Promise<void> {
    try {
      await collectUnknowns(this.#deps.ledger, this.#stop.signal)
    } catch (error) {
      this.#deps.onError(error)
    }
  }
}
