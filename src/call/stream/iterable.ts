import { dataOf } from '../../failure/observe/read.ts'
import { finishOf } from '../../failure/stream/answer.ts'
import { StreamCut } from '../../failure/stream/stream-cut.ts'
import { MOST_KEPT, type StreamWatch, type Watched } from './watch.ts'

type Iterable = AsyncIterable<unknown> & Partial<Pick<AsyncIterator<unknown>, 'next' | 'return' | 'throw'>>

/**
 * Watches an async iterable: the object stays the same, only its iterators are replaced. The SDKs of OpenAI and Anthropic make
 * everything from a function `iterator` of the stream; for those, that function is replaced.
 */
export function watchedIterable(value: Iterable, watch: StreamWatch): Watched {
  const made = dataOf(value, 'iterator')
  const isOfSdk = typeof made === 'function' && abortable(dataOf(value, 'controller'))
  const itself = isIterator(value) ? withoutShadow(value) : undefined
  const make: () => AsyncIterator<unknown> = isOfSdk
    ? made.bind(value)
    : value[Symbol.asyncIterator].bind(value)
  const begin = () => {
    const iterator = make()
    return itself && iterator === value ? itself : iterator
  }
  let kept: WatchedIterator | undefined
  const iterate = () => {
    watch.isRead = true
    const iterator = kept ?? new WatchedIterator(begin(), watch)
    kept = undefined
    return iterator
  }
  const first = () => {
    kept ??= new WatchedIterator(begin(), watch)
    return kept.keepFirst()
  }
  if (isOfSdk) watch.reader = watch.reader?.with({ expectsChunk: true, isOfModel: true })
  const target = Object.isExtensible(value) ? value : (Object.create(value) as Iterable)
  shadow(target, isOfSdk ? 'iterator' : Symbol.asyncIterator, iterate)
  if (itself) shadowIterator(target, iterate)
  watchController(value, watch)
  return { value: target, first }
}

function isIterator(value: Iterable): value is Iterable & AsyncIterator<unknown> {
  return typeof value.next === 'function'
}

/** Binds the iterator's current methods, because the replacements in front of them must not call themselves. */
function withoutShadow(iterator: AsyncIterator<unknown>): AsyncIterator<unknown> {
  return {
    next: iterator.next.bind(iterator),
    ...(iterator.return ? { return: iterator.return.bind(iterator) } : {}),
    ...(iterator.throw ? { throw: iterator.throw.bind(iterator) } : {}),
  }
}

/** Generators are their own iterators, and some code calls `next` on them directly. */
function shadowIterator(target: Iterable, iterate: () => WatchedIterator): void {
  let made: WatchedIterator | undefined
  const own = () => {
    made ??= iterate()
    return made
  }
  shadow(target, Symbol.asyncIterator, own)
  shadow(target, 'next', (...sent: [] | [unknown]) => own().next(...sent))
  shadow(target, 'return', (given?: unknown) => own().return(given))
  shadow(target, 'throw', (error?: unknown) => own().throw(error))
}

interface Abortable {
  abort(reason?: unknown): void
}

function abortable(value: unknown): value is Abortable {
  return typeof (value as Abortable | undefined)?.abort === 'function'
}

/** Promises that helpers of SDKs make from their events. */
const FINALS = ['finalMessage', 'finalText', 'finalResponse', 'finalChatCompletion', 'finalContent']

/** SDK streams have a controller for their request; helpers that run on their own also have a promise of their end. */
function watchController(value: object, watch: StreamWatch): void {
  const controller = dataOf(value, 'controller')
  if (!abortable(controller)) return
  watch.onCut(error => controller.abort(error))
  const { done, on } = value as { done?: unknown; on?: unknown }
  if (typeof done !== 'function' || typeof on !== 'function') return
  const { finalMessage, finalResponse } = value as Record<string, unknown>
  const final = finalMessage ?? finalResponse
  const over = Promise.resolve(done.call(value)).then(
    () => helperEnded(typeof final === 'function' ? final.call(value) : undefined, watch),
    error => void watch.failed(error),
  )
  for (const name of FINALS) shadowFinal(value, name, over, watch)
}

/** A helper takes a cut stream for complete. Who iterates over it learns that from the events. */
async function helperEnded(final: unknown, watch: StreamWatch): Promise<void> {
  try {
    const answer: unknown = await final
    if (watch.isRead) return
    watch.finish = finishOf(answer)
    if (!watch.reader || !isUnfinished(answer)) watch.ended()
    else watch.failed(new StreamCut('the stream ended without its finish event'))
  } catch (error) {
    if (!watch.isRead) watch.failed(error)
  }
}

function isUnfinished(answer: unknown): boolean {
  if (typeof answer !== 'object' || answer === null) return false
  return dataOf(answer, 'stop_reason') === null || dataOf(answer, 'status') === 'in_progress'
}

/** Makes a promise of a helper reject with the classified error of its stream. */
function shadowFinal(value: object, name: string, over: Promise<void>, watch: StreamWatch): void {
  const original = (value as Record<string, unknown>)[name]
  if (typeof original !== 'function') return
  shadow(value, name, async (...given: unknown[]) => {
    try {
      const answer: unknown = await original.apply(value, given)
      await over
      if (watch.error === undefined) return answer
    } catch (error) {
      await over
      throw watch.error ?? error
    }
    throw watch.error
  })
}

class WatchedIterator implements AsyncIterator<unknown> {
  readonly #source: AsyncIterator<unknown>
  readonly #watch: StreamWatch
  readonly #kept: Promise<IteratorResult<unknown>>[] = []

  constructor(source: AsyncIterator<unknown>, watch: StreamWatch) {
    this.#source = source
    this.#watch = watch
    watch.onCut(() => void this.#close().catch(() => {}))
  }

  /** Reads until the answer begins, and keeps what it read for the reader. */
  async keepFirst(): Promise<void> {
    while (!this.#watch.hasBegun && this.#kept.length < MOST_KEPT) {
      const reading = this.#read()
      this.#kept.push(reading)
      if ((await reading).done) return
    }
    this.#watch.failHeld()
    if (this.#watch.error !== undefined) throw this.#watch.error
  }

  next(...sent: [] | [unknown]): Promise<IteratorResult<unknown>> {
    return this.#kept.shift() ?? this.#read(...sent)
  }

  #read(...sent: [] | [unknown]): Promise<IteratorResult<unknown>> {
    return this.#watch.read(() => this.#source.next(...sent))
  }

  return(given?: unknown): Promise<IteratorResult<unknown>> {
    this.#watch.cancelled()
    return this.#close(given)
  }

  async throw(error?: unknown): Promise<IteratorResult<unknown>> {
    this.#watch.cancelled()
    if (this.#source.throw) return this.#source.throw(error)
    await this.#close()
    throw error
  }

  async #close(given?: unknown): Promise<IteratorResult<unknown>> {
    return (await this.#source.return?.(given)) ?? { done: true, value: given }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}

/** Puts a replacement in front of a class's property, hidden from loops over the object. */
export function shadow(target: object, name: PropertyKey, value: unknown): void {
  Object.defineProperty(target, name, { value, configurable: true, writable: true, enumerable: false })
}
