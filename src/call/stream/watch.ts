import type { Finish } from '../../failure/stream/finish.ts'
import type { EventRole } from '../../failure/stream/reading.ts'
import { onAbort } from '../../time/on-abort.ts'
import type { Time } from '../../time/time.ts'
import { PAID_GRACE_MS, timeoutError } from '../attempt/outcome.ts'
import type { Budget } from '../budget.ts'
import type { ChunkReader } from './chunk-reader.ts'

/** What ended a stream early: its source, or one of the call's bounds. */
export type CutBy = 'source' | 'silence' | 'budget' | 'signal' | 'cost'

/** How a stream ended. */
export type StreamEnd =
  | { how: 'ended' }
  /** The reader wants no more. */
  | { how: 'cancelled' }
  | { how: 'cut'; by: CutBy; cause: unknown; chunks: number }

/** How long a source that has reported its failure may take to end, in milliseconds. */
const LINGER_MS = 1_000

/** The limit for the first chunk of a stream. */
export interface FirstChunk {
  ms: number
  /** When it is over, on the monotonic clock; it began with the try. */
  by: number
}

export interface WatchSettings {
  time: Time
  budget: Budget
  signal: AbortSignal | undefined
  firstChunk: FirstChunk | undefined
  idleMs: number | undefined
  /** Tells the work that made the stream that the rest is not wanted. */
  abort: (reason: unknown) => void
  /** Runs what reads from the source: it may begin to ask only now. Default: as it is. */
  within?: <R>(read: () => R) => R
}

/**
 * Keeps one stream within the bounds of its call until it ends. The code that wraps a stream reports when the reader waits, when
 * data arrives and how it ends; the watch tells it when to stop. Silence counts only while a reader waits, because a slow reader
 * is not the source's fault.
 */
export class StreamWatch {
  /** Called once when the stream ended. For a cut, returns the error for the reader. */
  onOver: (end: StreamEnd) => unknown = end => (end.how === 'cut' ? end.cause : undefined)
  /** Returns the error for the caller of an answer that came whole, but from which a client could not make what was asked for. */
  onMissed: (cause: unknown) => unknown = cause => cause
  /** Chunks of the answer; those of its frame do not count. */
  chunks = 0
  /** True once the answer has begun, or ended without a word. */
  hasBegun = false
  /** Reads what the chunks say; undefined if that does not matter. */
  reader: ChunkReader | undefined
  /** What is special about the answer, if a client's promise says so and not its events. */
  finish: Finish | undefined
  /** True if the source was asked already, and nothing is left but to read. */
  isAsked = false
  /** True once a reader has the stream itself, not only promises that a client makes from it. */
  isRead = false
  readonly #settings: WatchSettings
  readonly #stops = new Set<(error: unknown) => void>()
  #end: StreamEnd | undefined
  #error: unknown
  /** What failed within the last chunk, which the reader gets first. */
  #held: unknown
  /** Why the rest must not come, once the cost limit is exceeded. */
  #overspent: unknown
  #waiting = 0
  #cancelBudget: () => void
  #stopListening: (() => void) | undefined
  #cancelSilence: (() => void) | undefined
  #cancelLinger: (() => void) | undefined

  constructor(settings: WatchSettings) {
    this.#settings = settings
    const { time, budget, signal } = settings
    // In the background: an unread stream must not keep the process alive until its budget is over.
    const later = time.inBackground ?? time.after
    this.#cancelBudget = later.call(time, budget.remainingMs, () => this.#outOfTime())
    if (signal) this.#stopListening = onAbort(signal, () => this.cut('signal', signal.reason))
  }

  /** The end, once there is one. */
  get end(): StreamEnd | undefined {
    return this.#end
  }

  /** What the reader gets after a cut. */
  get error(): unknown {
    return this.#error
  }

  /** Called once if the stream is cut from outside, with the error for the reader. */
  onCut(stop: (error: unknown) => void): () => void {
    this.#stops.add(stop)
    return () => this.#stops.delete(stop)
  }

  /** A reader waits for the source. */
  asked(): void {
    if (this.#end || this.#waiting++ > 0) return
    const { time, budget, firstChunk, idleMs = Infinity } = this.#settings
    // A first chunk that may take its time must still not be silence for longer than any other.
    const isFirst = firstChunk !== undefined && firstChunk.ms !== Infinity && !this.hasBegun
    const silenceMs = isFirst ? firstChunk.by - time.monotonic() : idleMs
    const { remainingMs } = budget
    const silent = () => this.cut('silence', timeoutError(isFirst ? firstChunk.ms : silenceMs))
    if (remainingMs === 0) this.#outOfTime()
    else if (silenceMs <= 0) silent()
    else if (silenceMs < remainingMs) this.#cancelSilence = time.after(silenceMs, silent)
    else if (remainingMs !== Infinity) this.#cancelSilence = time.after(remainingMs, () => this.#outOfTime())
  }

  /** The reader no longer waits. */
  answered(): void {
    if (this.#waiting > 0 && --this.#waiting === 0) this.#stopWaiting()
  }

  /** Reads once from the source, within all bounds. */
  read<R extends { done?: boolean | undefined; value?: unknown }>(
    next: () => R | PromiseLike<R>,
  ): Promise<R> {
    if (this.reader?.isOfBytes) this.failHeld()
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
        const within = this.isAsked ? undefined : this.#settings.within
        Promise.resolve(within ? within(next) : next()).then(result => {
          done()
          if (result.done) this.sourceEnded()
          else this.took(result.value)
          if (this.#error === undefined) resolve(result)
          else reject(this.#error)
        }, failed)
      } catch (error) {
        failed(error)
      }
    })
  }

  /** A chunk arrived. If it says that the answer failed, the stream ends here, or after the rest of that chunk. */
  took(chunk: unknown): void {
    if (this.#end) return
    const { reader } = this
    const role = reader?.take(chunk) ?? 'content'
    this.arrived(role)
    if (role === 'content' && this.#overspent !== undefined) this.cut('cost', this.#overspent)
    if (!reader || role !== 'error') return
    if (reader.isOfBytes || reader.isReporting) this.#held = reader.failed
    else this.cut('source', reader.failed)
  }

  /** More was spent than allowed. What has come is paid for: only what goes on after that is cut. */
  overspent(error: unknown): void {
    this.#overspent ??= error
    const { time } = this.#settings
    const later = time.inBackground ?? time.after
    this.#cancelLinger ??= later.call(time, PAID_GRACE_MS, () => this.cut('cost', error))
  }

  /** Data arrived. */
  arrived(role: EventRole = 'content'): void {
    if (role === 'content') this.chunks++
    if (role !== 'envelope') this.hasBegun = true
  }

  /** Ends the stream if the chunk before said that the answer failed. */
  failHeld(): void {
    if (this.#held !== undefined) this.cut('source', this.#held)
  }

  /** True if the last chunk says that the answer failed. */
  get isHeld(): boolean {
    return this.#held !== undefined
  }

  /** The source has no more. Without the end of its answer, that is a failure. */
  sourceEnded(): void {
    const cause = this.causeAtEnd()
    if (cause === undefined) this.ended()
    else this.failed(cause)
  }

  /** Why the source must not have ended; undefined if it may. */
  causeAtEnd(): unknown {
    this.#cancelLinger?.()
    return this.#end ? undefined : this.reader?.atEnd()
  }

  ended(): void {
    this.#over({ how: 'ended' })
  }

  cancelled(): void {
    this.#cancelLinger?.()
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
    const { time, abort } = this.#settings
    const later = time.inBackground ?? time.after
    this.#cancelLinger ??= later.call(time, LINGER_MS, () => {
      this.#error = error
      abort(error)
      this.#stop(error)
    })
    return error
  }

  /** Ends the stream from outside, and tells its reader and its source. */
  cut(by: CutBy, cause: unknown): void {
    if (this.#end) return
    this.#over({ how: 'cut', by, cause, chunks: this.chunks })
    this.#settings.abort(cause)
    this.#stop(this.#error)
  }

  #stop(error: unknown): void {
    const stops = [...this.#stops]
    this.#stops.clear()
    for (const stop of stops) stop(error)
  }

  #outOfTime(): void {
    this.cut('budget', timeoutError(this.#settings.budget.elapsedMs))
  }

  #over(end: StreamEnd): void {
    if (this.#end) return
    this.#end = end
    this.#cancelBudget()
    this.#stopWaiting()
    this.#stopListening?.()
    this.#error = this.onOver(end)
  }

  #stopWaiting(): void {
    this.#cancelSilence?.()
    this.#cancelSilence = undefined
  }
}

/** How many chunks of a frame are kept back before it counts as the answer: it must not fill the memory. */
export const MOST_KEPT = 1_000

/** A watched stream. */
export interface Watched {
  /** What the caller gets in place of what the work returned; the same object if possible. */
  readonly value: unknown
  /** Waits for the first chunk of the answer, and keeps it and its frame for the reader. Rejects if there will be none. */
  first: () => Promise<unknown>
}
