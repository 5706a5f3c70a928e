import type { Time } from '../time/time.ts'

/** How long changes wait to be written together, and how old other processes' spending may be, in milliseconds. */
export const FLUSH_MS = 1_000

/** Signals when to write to the store: once, a second after the first change since the last write. */
export class FlushTimer {
  readonly #time: Time
  #onDue: (() => void) | undefined
  #cancel: (() => void) | undefined

  constructor(time: Time) {
    this.#time = time
  }

  /** Marks that something must be written. Does nothing without a listener, because without a store nothing is written. */
  touch(): void {
    const onDue = this.#onDue
    if (!onDue) return
    this.#cancel ??= this.#time.after(FLUSH_MS, () => {
      this.#cancel = undefined
      onDue()
    })
  }

  listen(onDue: () => void): void {
    this.#onDue = onDue
  }

  stop(): void {
    this.#onDue = undefined
    this.#cancel?.()
  }
}
