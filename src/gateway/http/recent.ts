import type { Time } from '../../time/time.ts'

/** A slow read with many callers: made at most once per `ms`, and never twice at once. */
export class Recent<T> {
  readonly #time: Pick<Time, 'monotonic'>
  readonly #ms: number
  readonly #kept = new Map<string, { at: number; value: Promise<T> }>()

  /** @param ms how old an answer may be, in milliseconds */
  constructor(time: Pick<Time, 'monotonic'>, ms: number) {
    this.#time = time
    this.#ms = ms
  }

  /** The current answer, or one at most `ms` old. */
  get(question: string, read: () => Promise<T>): Promise<T> {
    const now = this.#time.monotonic()
    for (const [key, { at }] of this.#kept) if (now - at >= this.#ms) this.#kept.delete(key)
    const known = this.#kept.get(question)
    if (known) return known.value
    const value = read()
    // A read in progress does not count as old.
    const entry = { at: Infinity, value }
    this.#kept.set(question, entry)
    value.then(
      () => {
        entry.at = this.#time.monotonic()
      },
      () => {
        if (this.#kept.get(question) === entry) this.#kept.delete(question)
      },
    )
    return value
  }
}
