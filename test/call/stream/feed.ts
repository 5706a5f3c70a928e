/** A stream source that a test controls. */
export class Feed {
  /** How many times a chunk was requested. */
  asked = 0
  isCancelled = false
  readonly #coming: ({ value: unknown } | { error: unknown } | { end: true })[] = []
  #wake: () => void = () => {}

  give(...values: unknown[]): this {
    for (const value of values) this.#come({ value })
    return this
  }

  fail(error: unknown): this {
    return this.#come({ error })
  }

  end(): this {
    return this.#come({ end: true })
  }

  #come(step: { value: unknown } | { error: unknown } | { end: true }): this {
    this.#coming.push(step)
    this.#wake()
    return this
  }

  async next(): Promise<IteratorResult<unknown>> {
    this.asked++
    while (this.#coming.length === 0) {
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
      if (this.isCancelled) return { done: true, value: undefined }
    }
    const step = this.#coming.shift() as { value: unknown } | { error: unknown } | { end: true }
    if ('error' in step) throw step.error
    return 'end' in step ? { done: true, value: undefined } : { done: false, value: step.value }
  }

  cancel(): void {
    this.isCancelled = true
    this.#wake()
  }

  async return(): Promise<IteratorResult<unknown>> {
    this.cancel()
    return { done: true, value: undefined }
  }
}
