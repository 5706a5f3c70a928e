import type { Time } from '../time/time.ts'

/** A source of changes; `own` is true if this process made the change. */
export interface WakeSource {
  readonly time: Time
  onChange(listener: (own: boolean) => void): () => void
}

/** Longest time between two looks at the wall clock while something is due later, in milliseconds, because it may jump. */
const LONGEST_WAIT_MS = 60_000

/** Notifies runners of this process when there may be work: now, at the next due time, or when another process wrote. */
export class WakeTimer {
  readonly #ledger: WakeSource
  readonly #listeners = new Set<() => void>()
  #stopListening: (() => void) | undefined
  #at = Infinity
  #cancel: (() => void) | undefined
  #told = false

  constructor(ledger: WakeSource) {
    this.#ledger = ledger
  }

  listen(listener: () => void): () => void {
    const entry = () => listener()
    this.#listeners.add(entry)
    this.#stopListening ??= this.#ledger.onChange(own => {
      if (!own) this.#tell()
    })
    return () => {
      this.#listeners.delete(entry)
      if (this.#listeners.size === 0) this.close()
    }
  }

  /** Wakes at this time, epoch milliseconds. */
  at(time: number): void {
    if (this.#listeners.size === 0) return
    if (time <= this.#ledger.time.now()) this.#tell()
    else if (time < this.#at) {
      this.#at = time
      this.#arm()
    }
  }

  close(): void {
    this.#cancel?.()
    this.#stopListening?.()
    this.#cancel = this.#stopListening = undefined
    this.#listeners.clear()
    this.#at = Infinity
  }

  #arm(): void {
    this.#cancel?.()
    const wait = Math.min(LONGEST_WAIT_MS, Math.max(0, this.#at - this.#ledger.time.now()))
    this.#cancel = this.#ledger.time.after(wait, () => {
      this.#cancel = undefined
      if (this.#ledger.time.now() < this.#at) this.#arm()
      else {
        this.#at = Infinity
        this.#tell()
      }
    })
  }

  /** Once for everything that happens at the same moment. */
  #tell(): void {
    if (this.#told) return
    this.#told = true
    queueMicrotask(() => {
      this.#told = false
      for (const listener of [...this.#listeners])
        try {
          listener()
        } catch (error) {
          // The others must still be notified.
          process.emitWarning(`a listener of the engine threw: ${error}`, { code: 'MULLIGAN_ENGINE' })
        }
    })
  }
}
