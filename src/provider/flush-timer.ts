import type { Time } from '../time/time.ts'

/** How long changes wait to be written together with others, and how old those of other processes may be. */
export const FLUSH_MS = 1_000

/** Says when it is time to write to the store: once, a second after the first change since the last time. */
export class FlushTimer {
  readonly #time: Time
  #onDue: (() => void) | undefined
  #cancel: (() => void) | undefined

  constructor(time: Time) {
    this.#time = time
  }

  /** Something has to be written. Does nothing while no one listens: without a store nothing is written. */
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
