import { isModelVendor } from '../../failure/catalogue/vendor.ts'
import { dataOf, isResponse } from '../../failure/observe/read.ts'
import type { Used } from '../../failure/stream/usage.ts'
import type { Outcome } from '../attempt/outcome.ts'
import type { CallDeps } from '../call-deps.ts'
import type { Try } from '../try.ts'
import { ChunkReader } from './chunk-reader.ts'
import { readFailed } from './response.ts'
import { watched } from './returned.ts'
import { type StreamEnd, StreamWatch, type Watched, type WatchSettings } from './watch.ts'
import { onWire } from './wire.ts'

/** A try whose work returned a stream: its outcome so far, and the watch over the rest. */
export interface Begun<T> {
  outcome: Outcome<T>
  watch?: StreamWatch
  /** What a stream that failed before its first content used. */
  used?: Used
}

/** Watches the stream that a try returned. Never rejects. */
export function watchStream<T>(
  { options, time, budget }: CallDeps,
  running: Try<T>,
  value: T & object,
): Promise<Begun<T>> {
  const { signal, firstChunkMs: ms, idleMs, softFailures } = options
  const abort = (reason: unknown) => running.abort(reason)
  // Counts from the start of the try: a server that holds back its headers is as slow as one that holds back its first word.
  const leftMs = ms === undefined ? undefined : running.startedMs + ms - budget.elapsedMs
  const firstChunk =
    ms === undefined || leftMs === undefined ? undefined : { ms, by: time.monotonic() + leftMs }
  const expectsChunk = firstChunk !== undefined || isModelVendor(running.permit?.provider)
  const within: WatchSettings['within'] = read => onWire(running.wire, read)
  const settings = { time, budget, signal, firstChunk, idleMs, abort, within }
  const reader =
    softFailures === false
      ? undefined
      : new ChunkReader({
          expectsChunk,
          isStrict: options.finish === 'strict',
          remarksEmpty: Array.isArray(options.finish) && options.finish.includes('empty'),
          isFinishedOnWire: () => running.wire.isFinished,
        })
  return beginStream<T & object>(value, settings, reader)
}

/**
 * Watches a returned stream. With a limit for the first chunk, the try lasts until that chunk is there: until then nothing was
 * handed out, and a stream that fails is a failed try like any other.
 *
 * @param reader reads what the answer says about itself, by its status and within its stream; undefined if that does not matter
 */
export async function beginStream<T extends object>(
  value: T,
  settings: WatchSettings,
  reader: ChunkReader | undefined,
): Promise<Begun<T>> {
  if (reader && isResponse(value) && value.status >= 400)
    return { outcome: { ended: 'returned', value, seen: await readFailed(value, settings) } }
  // Node's IncomingMessage cannot be read twice, so its status must do.
  if (reader && Number(dataOf(value, 'statusCode')) >= 400) return { outcome: { ended: 'returned', value } }
  const watch = new StreamWatch(settings)
  watch.reader = reader
  const stream = watchedIfPossible(value, watch)
  if (!stream) {
    watch.cancelled()
    return { outcome: { ended: 'returned', value } }
  }
  if (settings.firstChunk !== undefined) {
    try {
      await stream.first()
    } catch (error) {
      settings.abort(error)
      const outcome = outcomeOf(watch.end, error)
      return watch.reader ? { outcome, used: watch.reader.used } : { outcome }
    }
  }
  return { outcome: { ended: 'returned', value: stream.value as T }, watch }
}

/** An answer that cannot be watched is still an answer. */
function watchedIfPossible(value: object, watch: StreamWatch): Watched | undefined {
  try {
    return watched(value, watch)
  } catch {
    return undefined
  }
}

function outcomeOf(end: StreamEnd | undefined, error: unknown): Outcome<never> {
  if (end?.how !== 'cut' || end.by === 'source') return { ended: 'threw', error }
  const ended = end.by === 'signal' ? 'aborted' : end.by === 'cost' ? 'overspent' : 'timedOut'
  return { ended, reason: end.cause, isBegun: true, isStillRunning: false }
}
