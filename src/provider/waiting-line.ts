import type { Time } from '../time/time.ts'

const MOMENT_MS = 100

/** The wall clock shows whole milliseconds, so calls that wait for the same time differ by up to one: they are due together. */
const CLOCK_STEP_MS = 1

/** No provider admits now, but one may any moment; ask again after this long at the latest. */
export interface Wait {
  waitMs: number
}

/** The answer to a request. */
export type Answer<T extends object> = T | Promise<T> | Wait

/** A call that wants to wait. */
export interface Waiting<T extends object> {
  /** When it began to wait, in monotonic milliseconds: the longest wait goes first. */
  since: number
  /** Goes before all that wait longer. Default false. */
  isUrgent?: boolean | undefined
  /** Asks again for a provider. */
  ask: () => Answer<T>
  signal: AbortSignal | undefined
}

interface Waiter extends Waiting<object> {
  resolve: (answer: object | Promise<object>) => void
  reject: (error: unknown) => void
  /** When to ask again at the latest, in monotonic milliseconds. */
  askAt: number
  /** Set while it waits outside the line, for its own time. */
  cancelTimer: () => void
  stopListening: () => void
}

/** Calls that wait because a provider may admit them any moment, or at a known time. */
export class WaitingLine {
  readonly #time: Time
  #waiters: Waiter[] = []
  /** One timer for all: calls that are due together ask in their order. */
  #timer: { at: number; cancel: () => void } | undefined

  constructor(time: Time) {
    this.#time = time
  }

  get size(): number {
    return this.#waiters.length
  }

  /** Waits, and asks again when something changes. An aborted call leaves the line and takes no turn. */
  join<T extends object>(waiting: Waiting<T>, wait: Wait): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const { signal } = waiting
      const onAbort = () => this.#leave(waiter)
      const waiter: Waiter = {
        ...waiting,
        resolve: resolve as Waiter['resolve'],
        reject,
        askAt: Infinity,
        cancelTimer: () => {},
        stopListening: () => signal?.removeEventListener('abort', onAbort),
      }
      signal?.addEventListener('abort', onAbort, { once: true })
      if (signal?.aborted) this.#leave(waiter)
      else {
        this.#enter(waiter, wait)
        this.#arm()
      }
    })
  }

  /** Something changed: all ask again, the longest wait first. */
  wake(): void {
    const waiters = this.#waiters
    this.#waiters = []
    this.#askInOrder(waiters)
  }

  /** Those whose time has come ask, before a new call takes their turn. */
  wakeDue(): void {
    const now = this.#time.monotonic() + CLOCK_STEP_MS
    if (this.#timer === undefined || this.#timer.at > now) return
    this.#askDue(now)
  }

  /** A provider came back: the longest wait goes at once, then twice as many every moment. All at once would bury it again. */
  wakeGradually(): void {
    const waiters = this.#waiters.sort(inOrder)
    this.#waiters = []
    waiters.forEach((waiter, index) => {
      const ms = Math.floor(Math.log2(index + 1)) * MOMENT_MS
      if (ms === 0) this.#ask(waiter)
      else
        waiter.cancelTimer = this.#time.after(ms, () => {
          this.#ask(waiter)
          this.#arm()
        })
    })
    this.#arm()
  }

  #askInOrder(waiters: Waiter[]): void {
    for (const waiter of waiters.sort(inOrder)) this.#ask(waiter)
    this.#arm()
  }

  #enter(waiter: Waiter, { waitMs }: Wait): void {
    waiter.askAt = this.#time.monotonic() + waitMs
    this.#waiters.push(waiter)
  }

  /** Sets the one timer to the first that must ask. */
  #arm(): void {
    let first = Infinity
    for (const { askAt } of this.#waiters) if (askAt < first) first = askAt
    let at = first
    for (const { askAt } of this.#waiters) if (askAt > at && askAt < first + CLOCK_STEP_MS) at = askAt
    if (this.#timer?.at === at) return
    this.#timer?.cancel()
    this.#timer = undefined
    if (at === Infinity) return
    const cancel = this.#time.after(Math.max(0, at - this.#time.monotonic()), () => {
      // Timers may be a little early.
      const now = Math.max(at, this.#time.monotonic())
      this.#timer = undefined
      this.#askDue(now)
    })
    this.#timer = { at, cancel }
  }

  #askDue(now: number): void {
    const due = this.#waiters.filter(({ askAt }) => askAt <= now)
    this.#waiters = this.#waiters.filter(({ askAt }) => askAt > now)
    this.#askInOrder(due)
  }

  #leave(waiter: Waiter): void {
    waiter.cancelTimer()
    this.#waiters = this.#waiters.filter(other => other !== waiter)
    this.#arm()
    waiter.reject(waiter.signal?.reason)
  }

  /** A waiter that must keep waiting keeps its promise: nesting a new one in it would pile up with every turn. */
  #ask(waiter: Waiter): void {
    const { ask, resolve, reject, stopListening } = waiter
    try {
      const answer = ask()
      if ('waitMs' in answer) {
        this.#enter(waiter, answer)
        return
      }
      resolve(answer)
    } catch (error) {
      reject(error)
    }
    stopListening()
  }
}

function inOrder(a: Waiting<object>, b: Waiting<object>): number {
  return Number(b.isUrgent ?? false) - Number(a.isUrgent ?? false) || a.since - b.since
}
