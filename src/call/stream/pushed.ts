import { MOST_KEPT, type StreamWatch, type Watched } from './watch.ts'

/** How many bytes a body keeps before its source must pause. */
const MOST_BYTES = 65_536

/** Where the pieces of a body come from. */
export interface PieceSource {
  /** Pieces may still come after it; they are kept. */
  pause(): void
  resume(): void
  /** No more is wanted. */
  destroy(reason: unknown): void
  /** The reader knows that the body has ended. */
  over?(): void
}

/** Who takes the pieces of a body. */
export interface PieceReader {
  took(piece: Uint8Array): void
  ended(): void
  failed(error: unknown): void
}

/**
 * A body whose pieces are pushed to one reader as they come: a web stream takes longer to make and to read than all else that an
 * answer needs. What comes before there is a reader, or while that pauses, is kept.
 */
export class PushedBody {
  readonly #source: PieceSource
  #kept: Uint8Array[] = []
  /** The first of them that nobody took; taking it out each time would move all others. */
  #next = 0
  #keptBytes = 0
  #reader: PieceReader | undefined
  #isPaused = false
  /** How the source ended; the reader may not know yet. */
  #end: { error: unknown } | 'whole' | undefined

  constructor(source: PieceSource) {
    this.#source = source
  }

  push(piece: Uint8Array): void {
    if (this.#end) return
    if (this.#reader && !this.#isPaused) {
      this.#reader.took(piece)
      return
    }
    this.#kept.push(piece)
    this.#keptBytes += piece.byteLength
    if (this.#keptBytes >= MOST_BYTES) this.#source.pause()
  }

  ended(): void {
    this.#over('whole')
  }

  failed(error: unknown): void {
    this.#over({ error })
  }

  /** Gives the reader what was kept, then what comes. Call it once. */
  readBy(reader: PieceReader): void {
    this.#reader = reader
    this.resume()
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    while (this.#next < this.#kept.length && !this.#isPaused) {
      const piece = this.#kept[this.#next++] as Uint8Array
      this.#keptBytes -= piece.byteLength
      if (this.#next === this.#kept.length) this.#dropKept()
      this.#reader?.took(piece)
    }
    if (this.#isPaused) return
    if (this.#end) this.#tellEnd()
    else this.#source.resume()
  }

  /** The reader wants no more, and hears no more. */
  cancel(reason: unknown): void {
    this.#reader = undefined
    this.#dropKept()
    this.#end ??= 'whole'
    this.#source.destroy(reason)
  }

  #dropKept(): void {
    this.#kept = []
    this.#next = 0
  }

  #over(end: { error: unknown } | 'whole'): void {
    if (this.#end) return
    this.#end = end
    if (!this.#isPaused && this.#kept.length === 0) this.#tellEnd()
  }

  #tellEnd(): void {
    const reader = this.#reader
    if (!reader || !this.#end) return
    this.#reader = undefined
    if (this.#end === 'whole') reader.ended()
    else reader.failed(this.#end.error)
    this.#source.over?.()
  }
}

/** An HTTP answer with a {@link PushedBody}. */
export class PushedAnswer {
  readonly status: number
  readonly statusText: string
  /** By their names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  body: PushedBody

  constructor(status: number, statusText: string, headers: ReadonlyMap<string, string>, body: PushedBody) {
    this.status = status
    this.statusText = statusText
    this.headers = headers
    this.body = body
  }
}

/** Watches a pushed body: the same answer, whose body is the watched one. */
export function watchedPushed(answer: PushedAnswer, watch: StreamWatch): Watched {
  const { status, statusText, headers, body } = answer
  watch.reader = watch.reader?.with({ answer: { status, statusText, headers } })
  const seen = new SeenBody(body, watch)
  answer.body = seen.passedOn
  return { value: answer, first: () => seen.first() }
}

/** Reads a body up to its first content; goes on once somebody reads what it passes on. */
class SeenBody implements PieceReader, PieceSource {
  /** What the caller gets. */
  readonly passedOn = new PushedBody(this)
  readonly #body: PushedBody
  readonly #watch: StreamWatch
  /** Set while nothing was handed out: then all that fails is a failed try. */
  #tellFirst: { resolve: () => void; reject: (error: unknown) => void } | undefined
  #hasFirst = false
  /** It ended before its first words were handed out: whether it should have is judged after that. */
  #endsLater = false
  #isRead = false
  #isAsking = false
  #isPaused = false
  #pieces = 0

  constructor(body: PushedBody, watch: StreamWatch) {
    this.#body = body
    this.#watch = watch
    watch.onCut(error => {
      body.cancel(error)
      this.#fail(error)
    })
  }

  first(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#tellFirst = { resolve, reject }
      this.resume()
    })
  }

  took(piece: Uint8Array): void {
    const watch = this.#watch
    this.#answered()
    watch.took(piece)
    if (watch.error !== undefined) {
      this.#fail(watch.error)
      return
    }
    this.passedOn.push(piece)
    watch.failHeld()
    if (watch.error !== undefined) return
    if (this.#tellFirst && (watch.hasBegun || ++this.#pieces === MOST_KEPT)) this.#foundFirst()
    if (!this.#isPaused) this.#ask()
  }

  ended(): void {
    const watch = this.#watch
    this.#answered()
    if (this.#hasFirst && this.#tellFirst) {
      this.#endsLater = true
      return
    }
    const cause = watch.causeAtEnd()
    if (cause !== undefined) {
      this.#fail(watch.failed(cause))
      return
    }
    this.passedOn.ended()
    this.#foundFirst()
  }

  failed(error: unknown): void {
    this.#answered()
    this.#fail(this.#watch.failed(error))
  }

  pause(): void {
    // Before it is handed out, it is read as far as the answer's frame goes.
    if (this.#tellFirst) return
    this.#isPaused = true
    this.#answered()
    this.#body.pause()
  }

  resume(): void {
    this.#isPaused = false
    if (this.#endsLater) {
      this.#endsLater = false
      this.ended()
      return
    }
    this.#ask()
    if (this.#isRead) this.#body.resume()
    else {
      this.#isRead = true
      this.#body.readBy(this)
    }
  }

  destroy(reason: unknown): void {
    this.#watch.cancelled()
    this.#body.cancel(reason)
  }

  /** The books are kept after the reader has all. */
  over(): void {
    this.#watch.ended()
  }

  /** What came together with the first words is looked at before they are handed out. */
  #foundFirst(): void {
    if (this.#hasFirst || !this.#tellFirst) return
    this.#hasFirst = true
    queueMicrotask(() => {
      this.#tellFirst?.resolve()
      this.#tellFirst = undefined
      this.pause()
    })
  }

  #fail(error: unknown): void {
    const waiting = this.#tellFirst
    this.#tellFirst = undefined
    if (waiting) waiting.reject(error)
    else this.passedOn.failed(error)
  }

  // A slow reader's silence is not the source's.

  #ask(): void {
    if (this.#isAsking) return
    this.#isAsking = true
    this.#watch.asked()
  }

  #answered(): void {
    if (this.#isAsking) this.#watch.answered()
    this.#isAsking = false
  }
}
