import { dataOf } from '../../failure/observe/read.ts'
import type { StreamWatch, Watched } from './watch.ts'

type Iterable = AsyncIterable<unknown> & Partial<Pick<AsyncIterator<unknown>, 'next' | 'return' | 'throw'>>

/**
 * An async iterable under watch: the object stays what it is, only its iterators are ours. Streams of the SDKs of
 * OpenAI and Anthropic make all they give from one function of their own, `iterator`; then that one is replaced.
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
    const iterator = kept ?? new WatchedIterator(begin(), watch)
    kept = undefined
    return iterator
  }
  const first = () => {
    kept ??= new WatchedIterator(begin(), watch)
    return kept.keepFirst()
  }
  const target = Object.isExtensible(value) ? value : (Object.create(value) as Iterable)
  shadow(target, isOfSdk ? 'iterator' : Symbol.asyncIterator, iterate)
  if (itself) shadowIterator(target, iterate)
  watchController(value, watch)
  return { value: target, first }
}

function isIterator(value: Iterable): value is Iterable & AsyncIterator<unknown> {
  return typeof value.next === 'function'
}

/** An iterator by its methods as they are now: those of ours that stand before them must not call themselves. */
function withoutShadow(iterator: AsyncIterator<unknown>): AsyncIterator<unknown> {
  return {
    next: iterator.next.bind(iterator),
    ...(iterator.return ? { return: iterator.return.bind(iterator) } : {}),
    ...(iterator.throw ? { throw: iterator.throw.bind(iterator) } : {}),
  }
}

/** Generators are their own iterators: some call `next` themselves. */
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

/** Streams of SDKs have a controller of their request, and those that run by themselves a promise of their end. */
function watchController(value: object, watch: StreamWatch): void {
  const controller = dataOf(value, 'controller')
  if (!abortable(controller)) return
  watch.onCut(error => controller.abort(error))
  const { done, on } = value as { done?: unknown; on?: unknown }
  if (typeof done !== 'function' || typeof on !== 'function') return
  Promise.resolve(done.call(value)).then(
    () => watch.ended(),
    error => void watch.failed(error),
  )
}

class WatchedIterator implements AsyncIterator<unknown> {
  readonly #source: AsyncIterator<unknown>
  readonly #watch: StreamWatch
  #kept: Promise<IteratorResult<unknown>> | undefined

  constructor(source: AsyncIterator<unknown>, watch: StreamWatch) {
    this.#source = source
    this.#watch = watch
    watch.onCut(() => void this.#close().catch(() => {}))
  }

  keepFirst(): Promise<unknown> {
    this.#kept = this.next()
    return this.#kept
  }

  next(...sent: [] | [unknown]): Promise<IteratorResult<unknown>> {
    const kept = this.#kept
    this.#kept = undefined
    return kept ?? this.#watch.read(() => this.#source.next(...sent))
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

/** Puts ours before the one of the class, without a trace in loops over the object. */
export function shadow(target: object, name: PropertyKey, value: unknown): void {
  Object.defineProperty(target, name, { value, configurable: true, writable: true, enumerable: false })
}
