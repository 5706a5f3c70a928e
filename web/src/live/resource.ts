import { type Signal, signal, untracked, useSignalEffect } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { LedgerEvent } from '../api/answers.ts'
import { type ApiProblem, problemOf } from '../api/problem.ts'
import { get } from '../api/request.ts'
import { onEvents } from './events.ts'
import { visible } from './visible.ts'

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

const AT_MOST_EVERY_MS = 1_000
/** How long to wait after a failed load, in milliseconds. */
const AGAIN_MS = 3_000

/** Loads a value, and reloads it after events that may have changed it; not while the page is hidden. */
export function useResource<T>(path: string | undefined, options: ResourceOptions = {}): Resource<T> {
  const watched = useMemo(() => new Watched<T>(path, options), [path])
  useEffect(() => watched.start(), [watched])
  useSignalEffect(() => {
    if (visible.value) untracked(() => watched.seen())
  })
  return watched
}

class Watched<T> implements Resource<T> {
  readonly value = signal<T | undefined>(undefined)
  readonly problem = signal<ApiProblem | undefined>(undefined)
  readonly reload = () => this.#ask()
  readonly #path: string | undefined
  readonly #options: ResourceOptions
  #asking: AbortController | undefined
  #askedAt = Number.NEGATIVE_INFINITY
  #isStale = false
  #isStarted = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #later: ReturnType<typeof setTimeout> | undefined

  constructor(path: string | undefined, options: ResourceOptions) {
    this.#path = path
    this.#options = options
  }

  start(): () => void {
    this.#isStarted = true
    const { when = () => true, everyMs, afterMs } = this.#options
    const stop = onEvents(events => {
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
    if (!visible.peek() || this.#timer !== undefined || !this.#isStarted) return
    const wait = Math.max(0, this.#askedAt + least - performance.now())
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      // An answer that takes longer than events come would never arrive if each of them asked anew.
      if (this.#asking === undefined) this.#ask()
    }, wait)
  }

  #ask(): void {
    if (this.#path === undefined || !this.#isStarted) return
    this.#isStale = false
    this.#askedAt = performance.now()
    this.#asking?.abort()
    const asking = new AbortController()
    this.#asking = asking
    get<T>(this.#path, asking.signal).then(
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
