import type { Time } from '../../time/time.ts'
import { timeoutError } from '../attempt/outcome.ts'
import type { Budget } from '../budget.ts'

/** What ended a stream early: its source, or one of the call's bounds. */
export type CutBy = 'source' | 'silence' | 'budget' | 'signal' | 'cost'

/** How a stream ended. */
export type StreamEnd =
  | { how: 'ended' }
  /** The reader wants no more. */
  | { how: 'cancelled' }
  | { how: 'cut'; by: CutBy; cause: unknown; chunks: number }

export interface WatchSettings {
  time: Time
  budget: Budget
  signal: AbortSignal | undefined
  firstChunkMs: number | undefined
  idleMs: number | undefined
  /** Tells the work that made the stream that the rest is not wanted. */
  abort: (reason: unknown) => void
}

/**
 * Keeps one stream within the bounds of its call until it ends. The code that wraps a stream reports when the reader waits, when
 * data arrives and how it ends; the watch tells it when to stop. Silence counts only while a reader waits, because a slow reader
 * is not the source's fault.
 */
export class StreamWatch {
  /** Called once when the stream ended. For a cut, returns the error for the reader. */
  onOver: (end: StreamEnd) => unknown = end => (end.how === 'cut' ? end.cause : undefined)
  chunks = 0
  readonly #settings: WatchSettings
  readonly #stops = new Set<(error: unknown) => void>()
  #end: StreamEnd | undefined
  #error: unknown
  #waiting = 0
  #cancelBudget: () => void
  #cancelSilence: (() => void) | undefined

  constructor(settings: WatchSettings) {
    this.#settings = settings
    const { time, budget, signal } = settings
    // In the background: an unread stream must not keep the process alive until its budget is over.
    const later = time.inBackground ?? time.after
    this.#cancelBudget = later.call(time, budget.remainingMs, () => this.#outOfTime())
    signal?.addEventListener('abort', this)
    if (signal?.aborted) this.handleEvent()
  }

  /** The end, once there is one. */
  get end(): StreamEnd | undefined {
    return this.#end
  }

  /** What the reader gets after a cut. */
  get error(): unknown {
    return this.#error
  }

  /** The caller's signal was aborted. */
  handleEvent(): void {
    this.cut('signal', this.#settings.signal?.reason)
  }

  /** Called once if the stream is cut from outside, with the error for the reader. */
  onCut(stop: (error: unknown) => void): () => void {
    this.#stops.add(stop)
    return () => this.#stops.delete(stop)
  }

  /** A reader waits for the source. */
  asked(): void {
    if (this.#end || this.#waiting++ > 0) return
    const { time, budget, idleMs = Infinity, firstChunkMs = idleMs } = this.#settings
    const silenceMs = this.chunks === 0 ? firstChunkMs : idleMs
    const { remainingMs } = budget
    if (remainingMs === 0) this.#outOfTime()
    else if (silenceMs < remainingMs)
      this.#cancelSilence = time.after(silenceMs, () => this.cut('silence', timeoutError(silenceMs)))
    else if (remainingMs !== Infinity) this.#cancelSilence = time.after(remainingMs, () => this.#outOfTime())
  }

  /** The reader no longer waits. */
  answered(): void {
    if (this.#waiting > 0 && --this.#waiting === 0) this.#stopWaiting()
  }

  /** Reads once from the source, within all bounds. */
  read<R extends { done?: boolean | undefined }>(next: () => R | PromiseLike<R>): Promise<R> {
    if (this.#error !== undefined) return Promise.reject(this.#error)
    return new Promise((resolve, reject) => {
      const forget = this.onCut(reject)
      const done = () => {
        forget()
        this.answered()
      }
      this.asked()
      const failed = (error: unknown) => {
        done()
        reject(this.failed(error))
      }
      try {
        Promise.resolve(next()).then(result => {
          done()
          if (result.done) this.ended()
          else this.arrived()
          resolve(result)
        }, failed)
      } catch (error) {
        failed(error)
      }
    })
  }

  /** Data arrived. */
  arrived(): void {
    this.chunks++
  }

  ended(): void {
    this.#over({ how: 'ended' })
  }

  cancelled(): void {
    this.#over({ how: 'cancelled' })
  }

  /** The source failed. Returns the error for the reader. */
  failed(cause: unknown): unknown {
    this.#over({ how: 'cut', by: 'source', cause, chunks: this.chunks })
    return this.#error ?? cause
  }

  /** The source reports a failure within the stream and continues to its end. Returns the error to put in its place. */
  report(cause: unknown): unknown {
    const error = this.failed(cause)
    this.#error = undefined
    return error
  }

  /** Ends the stream from outside, and tells its reader and its source. */
  cut(by: CutBy, cause: unknown): void {
    if (this.#end) return
    this.#over({ how: 'cut', by, cause, chunks: this.chunks })
    this.#settings.abort(cause)
    const stops = [...this.#stops]
    this.#stops.clear()
    for (const stop of stops) stop(this.#error)
  }

  #outOfTime(): void {
    this.cut('budget', timeoutError(this.#settings.budget.elapsedMs))
  }

  #over(end: StreamEnd): void {
    if (this.#end) return
    this.#end = end
    this.#cancelBudget()
    this.#stopWaiting()
    this.#settings.signal?.removeEventListener('abort', this)
    this.#error = this.onOver(end)
  }

  #stopWaiting(): void {
    this.#cancelSilence?.()
    this.#cancelSilence = undefined
  }
}

/** A watched stream. */
export interface Watched {
  /** What the caller gets in place of what the work returned; the same object if possible. */
  value: unknown
  /** Waits for the first chunk, and keeps it for the reader. Rejects if there will be none. */
  first: () => Promise<unknown>
}
