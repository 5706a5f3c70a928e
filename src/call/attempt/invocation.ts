import { onAbort } from '../../time/on-abort.ts'
import type { Time } from '../../time/time.ts'
import { type Cut, type Outcome, timeoutError } from './outcome.ts'

/** Bounds of one invocation. */
export interface InvocationSettings {
  time: Time
  /** Milliseconds until the deadline; Infinity for none. */
  limitMs: number
  /** Aborts the code from outside. */
  signal: AbortSignal | undefined
  /** Milliseconds the code has to end after its signal was aborted; may depend on the reason. Default 0. */
  graceMs?: number | ((reason: unknown) => number)
  /** True for a value returned after the deadline that means the code gave up. Default: no value does. */
  isGivingUp?: (value: unknown) => boolean
  /** Listens to `signal` only once the code uses its own signal, or from {@link Invocation.listen} on. Default false. */
  listensLate?: boolean
}

/** User code, and what is told how it ended. */
export interface InvokedCode<A, T> {
  work(argument: A): T | Promise<T>
  /** Must not throw. */
  ended(outcome: Outcome<T>): void
}

/**
 * Runs user code once; the only place that calls it. Settles with the first of its end, its deadline, an abort or a stop. Turns
 * what it throws into a value. Leaves no timer, listener or unhandled rejection behind.
 */
export class Invocation<T> {
  /** False if an abort came before the code began. */
  isBegun = false
  readonly #settings: InvocationSettings
  #controller: AbortController | undefined
  #cancelTimer: (() => void) | undefined
  #cut: Cut | undefined
  /** Undefined once settled. */
  #code: Pick<InvokedCode<never, T>, 'ended'> | undefined
  #stopListening: (() => void) | undefined

  constructor(settings: InvocationSettings) {
    this.#settings = settings
  }

  /** Never rejects. Call it once. */
  run<A>(code: (argument: A) => T | Promise<T>, argument: A): Promise<Outcome<T>> {
    return new Promise(ended => this.begin({ work: code, ended }, argument))
  }

  /** The same without a promise, for whoever has one already. */
  begin<A>(code: InvokedCode<A, T>, argument: A): void {
    this.#code = code
    const { time, limitMs, signal, listensLate } = this.#settings
    if (signal?.aborted) {
      this.#end({ ended: 'aborted', reason: signal.reason, isBegun: false, isStillRunning: false })
      return
    }
    if (!listensLate) this.listen()
    if (limitMs !== Infinity) this.#cancelTimer = time.after(limitMs, () => this.#timedOut())
    this.isBegun = true
    try {
      Promise.resolve(code.work(argument)).then(
        value => this.#returned(value),
        error => this.#threw(error),
      )
    } catch (error) {
      this.#threw(error)
    }
  }

  /** Created on access: code that does not listen does not pay for it. */
  get signal(): AbortSignal {
    this.listen()
    return this.#controllerOf().signal
  }

  /** Listens to the outer signal from now on, unless it does already or has settled. */
  listen(): void {
    const { signal } = this.#settings
    if (!signal || this.#stopListening || !this.#code) return
    this.#stopListening = onAbort(signal, () => this.stop('aborted', signal.reason))
  }

  /** Aborts the signal of code that has returned: the rest of its stream is not wanted. */
  abort(reason: unknown): void {
    this.#controllerOf().abort(reason)
  }

  /** Stops the code before its end. Returns false if it has already settled. */
  stop(ended: Cut['ended'], reason: unknown): boolean {
    if (!this.#code) return false
    if (this.#cut) return true
    const cut: Cut = { ended, reason, isBegun: true, isStillRunning: true }
    this.#cut = cut
    this.#cancelTimer?.()
    const { time, graceMs: given = 0 } = this.#settings
    const graceMs = typeof given === 'function' ? given(reason) : given
    if (graceMs > 0) this.#cancelTimer = time.after(graceMs, () => this.#end(cut))
    // Abort before settling, so that no code goes on unnoticed.
    this.#controllerOf().abort(reason)
    if (graceMs <= 0) this.#end(cut)
    return true
  }

  /** Reads the limit from the settings: a timer callback with its own copy would need a closure for every call. */
  #timedOut(): void {
    this.stop('timedOut', timeoutError(this.#settings.limitMs))
  }

  /** A result within the grace counts, because it is already paid for; after a cancel it is not wanted. */
  #returned(value: T): void {
    const cut = this.#cut
    const isWanted = !cut || (cut.ended !== 'aborted' && this.#settings.isGivingUp?.(value) !== true)
    this.#end(isWanted ? { ended: 'returned', value } : { ...cut, isStillRunning: false })
  }

  #threw(error: unknown): void {
    this.#end(this.#cut ? { ...this.#cut, error, isStillRunning: false } : { ended: 'threw', error })
  }

  #end(outcome: Outcome<T>): void {
    const code = this.#code
    if (!code) return
    this.#code = undefined
    this.#cancelTimer?.()
    this.#stopListening?.()
    code.ended(outcome)
  }

  #controllerOf(): AbortController {
    this.#controller ??= new AbortController()
    return this.#controller
  }
}

/** Runs user code once within bounds, for code that needs only its signal. Never rejects. */
export function invoke<T>(
  code: (signal: AbortSignal) => T | Promise<T>,
  settings: InvocationSettings,
): Promise<Outcome<T>> {
  const invocation = new Invocation<T>(settings)
  return invocation.run(code, invocation.signal)
}
