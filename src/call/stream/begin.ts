import { dataOf, isResponse } from '../../failure/observe/read.ts'
import type { Outcome } from '../attempt/outcome.ts'
import type { CallDeps } from '../call-deps.ts'
import type { Try } from '../try.ts'
import { readFailed } from './response.ts'
import { watched } from './returned.ts'
import { type StreamEnd, StreamWatch, type Watched, type WatchSettings } from './watch.ts'

/** A try whose work returned a stream: its outcome so far, and the watch over the rest. */
export interface Begun<T> {
  outcome: Outcome<T>
  watch?: StreamWatch
}

/** Watches the stream that a try returned. Never rejects. */
export function watchStream<T>(
  { options, time, budget }: CallDeps,
  running: Try<T>,
  value: T & object,
): Promise<Begun<T>> {
  const { signal, firstChunkMs, idleMs, softFailures } = options
  const abort = (reason: unknown) => running.abort(reason)
  const settings = { time, budget, signal, firstChunkMs, idleMs, abort }
  return beginStream<T & object>(value, settings, softFailures !== false)
}

/**
 * Watches a returned stream. With a limit for the first chunk, the try lasts until that chunk is there: until then nothing was
 * handed out, and a stream that fails is a failed try like any other.
 *
 * @param softFailures whether an answer with a failure status counts as one
 */
export async function beginStream<T extends object>(
  value: T,
  settings: WatchSettings,
  softFailures: boolean,
): Promise<Begun<T>> {
  if (softFailures && isResponse(value) && value.status >= 400)
    return { outcome: { ended: 'returned', value, seen: await readFailed(value, settings) } }
  // Node's IncomingMessage cannot be read twice, so its status must do.
  if (softFailures && Number(dataOf(value, 'statusCode')) >= 400)
    return { outcome: { ended: 'returned', value } }
  const watch = new StreamWatch(settings)
  const stream = watchedIfPossible(value, watch)
  if (!stream) {
    watch.cancelled()
    return { outcome: { ended: 'returned', value } }
  }
  if (settings.firstChunkMs !== undefined) {
    try {
      await stream.first()
    } catch (error) {
      settings.abort(error)
      return { outcome: outcomeOf(watch.end, error) }
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
