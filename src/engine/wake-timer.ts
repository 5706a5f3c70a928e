import type { Time } from '../time/time.ts'

/** What changes are heard from; `own` says that this process made it. */
export interface WakeSource {
  readonly time: Time
  onChange(listener: (own: boolean) => void): () => void
}

/** Looks at the wall clock at least this often while something is due later, in milliseconds: it may jump. */
const LONGEST_WAIT_MS = 60_000

/** Tells runners of this process when there may be work: now, at the next due time, or when another process wrote. */
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

  /** There is something to do at this time, epoch milliseconds. */
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

  /** Once for everything that happens in one moment. */
  #tell(): void {
    if (this.#told) return
    this.#told = true
    queueMicrotask(() => {
      this.#told = false
      for (const listener of [...this.#listeners])
        try {
          listener()
        } catch (error) {
          // The others have to hear it all the same.
          process.emitWarning(`a listener of the engine threw: ${error}`, { code: 'MULLIGAN_ENGINE' })
        }
    })
  }
}
