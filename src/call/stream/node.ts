import { shadow } from './iterable.ts'
import type { StreamWatch, Watched } from './watch.ts'

/** The parts of a Node readable stream used here. Its module is not imported, so this also runs without Node. */
export interface NodeReadable {
  push(chunk: unknown, encoding?: unknown): boolean
  read(size?: number): unknown
  destroy(error?: unknown): unknown
  on(event: 'error', listener: () => void): unknown
  off(event: 'error', listener: () => void): unknown
  listenerCount(event: 'error'): number
  _read(size: number): void
  _destroy(error: unknown, callback: (error?: unknown) => void): void
  readonly readableLength: number
  readonly readableEnded: boolean
  readonly errored?: unknown
}

/**
 * Watches a Node readable stream: the same object, reporting what comes in and how it ends. Adds no listener, because a `data`
 * listener would start it, and an `error` listener would hide that there is no other.
 */
export function watchedNode(stream: NodeReadable, watch: StreamWatch): Watched {
  const { push, _read, _destroy } = stream
  let isWaiting = false
  let isCut = false
  let tellFirst: (() => void) | undefined
  let failFirst: ((error: unknown) => void) | undefined
  const stopWaiting = () => {
    if (isWaiting) watch.answered()
    isWaiting = false
  }
  shadow(stream, '_read', function (this: NodeReadable, size: number) {
    if (!isWaiting) {
      isWaiting = true
      watch.asked()
    }
    _read.call(this, size)
  })
  shadow(stream, 'push', function (this: NodeReadable, chunk: unknown, encoding?: unknown) {
    stopWaiting()
    if (chunk === null) watch.sourceEnded()
    else watch.took(chunk)
    if (watch.error !== undefined) {
      failWhenRead()
      return false
    }
    const wantsMore = push.call(this, chunk, encoding)
    if (watch.isHeld) failWhenRead()
    // What is kept back must fit into the stream's own buffer.
    else if (chunk === null || watch.hasBegun || !wantsMore) tellFirst?.()
    return wantsMore
  })
  const fail = () => {
    watch.failHeld()
    if (watch.error !== undefined) stream.destroy(watch.error)
  }
  /** Ends the stream with its failure once its reader has what came before: destroying it would drop that. */
  const failWhenRead = () => {
    if (failFirst || stream.readableLength === 0) return fail()
    const { read } = stream
    shadow(stream, 'read', function (this: NodeReadable, size?: number) {
      const chunk = read.call(this, size)
      if (this.readableLength === 0) queueMicrotask(fail)
      return chunk
    })
  }
  shadow(stream, '_destroy', function (this: NodeReadable, error: unknown, callback: (e?: unknown) => void) {
    stopWaiting()
    if (!error) watch.cancelled()
    const told = error ? watch.failed(error) : error
    tellFirst = undefined
    failFirst?.(told ?? new Error('the stream was closed before its first chunk'))
    // Only the reader gets the reason: a request would emit the same error to its own listeners, and there may be none.
    if (isCut) _destroy.call(this, null, () => callback(told))
    else _destroy.call(this, error, given => callback(given === error ? told : given))
  })
  watch.onCut(error => {
    isCut = true
    // Nothing reads it: an error without a listener would end the process.
    if (stream.listenerCount('error') === 0) stream.on('error', ignore)
    stream.destroy(error)
  })
  if (stream.errored) watch.failed(stream.errored)
  // What came before now cannot be read, so the rest would be misread.
  if (stream.readableLength > 0) watch.reader = undefined
  const first = () =>
    new Promise<void>((resolve, reject) => {
      if (stream.readableLength > 0 || stream.readableEnded) return resolve()
      if (stream.errored) return reject(watch.error ?? stream.errored)
      tellFirst = () => {
        stream.off('error', ignore)
        tellFirst = failFirst = undefined
        resolve()
      }
      failFirst = reject
      // Until it is returned, nothing else can listen.
      stream.on('error', ignore)
      // Makes the source fetch data without consuming it.
      stream.read(0)
    })
  return { value: stream, first }
}

function ignore(): void {}
