import { type Signal, signal } from '@preact/signals'
import type { LedgerEvent } from '../api/answers.ts'
import { type ApiProblem, problemOf } from '../api/problem.ts'

/** When a resource is loaded again. */
export interface ResourceOptions {
  /** Events after which it may have changed. Default any. */
  when?: (event: LedgerEvent) => boolean
  /** Shortest interval between loads, in milliseconds. Default 1 s. */
  atMostEveryMs?: number
  /** Longest interval between loads while the page is visible, in milliseconds. Default unlimited. */
  everyMs?: number
  /** Load once more this long after events, in milliseconds: what follows from them is written later. Default never. */
  afterMs?: number
}

/** A value loaded from the daemon and kept up to date. */
export interface Resource<T> {
  /** Undefined until the first answer. */
  value: Signal<T | undefined>
  /** Why the last load failed. */
  problem: Signal<ApiProblem | undefined>
  /** Loads it again now. */
  reload: () => void
}

/** Where a value comes from, and what happens meanwhile. */
export interface World<T> {
  /** Asks for the value; undefined if there is nothing to ask for. */
  look: ((signal: AbortSignal) => Promise<T>) | undefined
  /** Calls back with events as they happen, with undefined if anything may have changed; returns what stops it. */
  onEvents: (listener: (events: readonly LedgerEvent[] | undefined) => void) => () => void
  /** Whether the page is visible. */
  visible: Signal<boolean>
}

const AT_MOST_EVERY_MS = 1_000
/** How long to wait after a failed load, in milliseconds. */
const AGAIN_MS = 3_000

/** Asks for a value, and asks again after events that may have changed it. */
export class Watched<T> implements Resource<T> {
  readonly value = signal<T | undefined>(undefined)
  readonly problem = signal<ApiProblem | undefined>(undefined)
  readonly reload = () => this.#ask()
  readonly #world: World<T>
  readonly #options: ResourceOptions
  #asking: AbortController | undefined
  #askedAt = Number.NEGATIVE_INFINITY
  #isStale = false
  #isStarted = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #later: ReturnType<typeof setTimeout> | undefined

  constructor(world: World<T>, options: ResourceOptions = {}) {
    this.#world = world
    this.#options = options
  }

  start(): () => void {
    this.#isStarted = true
    const { when = () => true, everyMs, afterMs } = this.#options
    const stop = this.#world.onEvents(events => {
      if (events !== undefined && !events.some(when)) return
      this.#soon()
      if (afterMs === undefined) return
      clearTimeout(this.#later)
      this.#later = setTimeout(() => this.#soon(), afterMs)
    })
    const regularly = everyMs === undefined ? undefined : setInterval(() => this.#soon(), everyMs)
    this.#ask()
    return () => {
      this.#isStarted = false
      stop()
      clearInterval(regularly)
      clearTimeout(this.#timer)
      clearTimeout(this.#later)
      this.#timer = undefined
      this.#asking?.abort()
    }
  }

  /** The page is visible again. */
  seen(): void {
    if (this.#isStale) this.#soon()
  }

  #soon(least = this.#options.atMostEveryMs ?? AT_MOST_EVERY_MS): void {
    this.#isStale = true
    if (!this.#world.visible.peek() || this.#timer !== undefined || !this.#isStarted) return
    const wait = Math.max(0, this.#askedAt + least - performance.now())
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      // An answer that takes longer than events come would never arrive if each of them asked anew.
      if (this.#asking === undefined) this.#ask()
    }, wait)
  }

  #ask(): void {
    const { look } = this.#world
    if (look === undefined || !this.#isStarted) return
    this.#isStale = false
    this.#askedAt = performance.now()
    this.#asking?.abort()
    const asking = new AbortController()
    this.#asking = asking
    look(asking.signal).then(
      value => {
        if (asking.signal.aborted) return
        this.#asking = undefined
        this.value.value = value
        this.problem.value = undefined
        if (this.#isStale) this.#soon()
      },
      error => {
        if (asking.signal.aborted) return
        this.#asking = undefined
        const problem = problemOf(error)
        this.problem.value = problem
        // A daemon that is starting or briefly gone answers later; a refusal stays a refusal.
        if (problem.status === 0 || problem.status >= 500) this.#soon(AGAIN_MS)
      },
    )
  }
}
