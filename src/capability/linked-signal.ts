/**
 * A signal that is aborted with another one, or by itself. Unlike `AbortSignal.any` it leaves nothing behind at a
 * signal that lives as long as the process.
 */
export class LinkedSignal {
  readonly #parent: AbortSignal
  readonly #controller = new AbortController()

  constructor(parent: AbortSignal) {
    this.#parent = parent
    if (parent.aborted) this.handleEvent()
    else parent.addEventListener('abort', this)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason)
  }

  /** Lets go of the other signal. May be called twice. */
  unlink(): void {
    this.#parent.removeEventListener('abort', this)
  }

  /** The other signal was aborted. */
  handleEvent(): void {
    this.#controller.abort(this.#parent.reason)
  }
}
