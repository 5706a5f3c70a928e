import { MOST_KEPT, type StreamWatch, type Watched } from './watch.ts'

/** What the controllers of both kinds of streams share. */
interface Controller {
  enqueue(chunk: unknown): void
  close(): void
  error(error: unknown): void
}

type Result = { done: boolean; value?: unknown }

/**
 * Watches a web stream. Reads nothing before it is asked for; a reader that cancels also cancels the source.
 * @param passOn what the reader gets for a chunk; default the chunk
 */
export function watchedWeb(
  source: ReadableStream,
  watch: StreamWatch,
  passOn: (chunk: unknown) => readonly unknown[] = chunk => [chunk],
): Watched & { value: ReadableStream } {
  const isOfBytes = ofBytes(source)
  const reader = source.getReader()
  const kept: Promise<Result>[] = []
  const next = (): Promise<Result> => watch.read(() => reader.read())
  const first = async (): Promise<void> => {
    while (!watch.hasBegun && kept.length < MOST_KEPT) {
      const reading = next()
      kept.push(reading)
      const { done } = await reading
      if (done) return
    }
    // Nothing was handed out yet, so what failed after the first words still fails the try.
    watch.failHeld()
    if (watch.error !== undefined) throw watch.error
  }
  const underlying = {
    start(controller: Controller) {
      watch.onCut(error => {
        controller.error(error)
        reader.cancel(error).catch(ignore)
      })
    },
    async pull(controller: Controller) {
      const { done, value } = await (kept.shift() ?? next())
      if (done) controller.close()
      else for (const chunk of passOn(value)) controller.enqueue(chunk)
    },
    cancel(reason: unknown) {
      watch.cancelled()
      return reader.cancel(reason)
    },
  }
  const value = isOfBytes
    ? new ReadableStream({ ...underlying, type: 'bytes' })
    : new ReadableStream(underlying, { highWaterMark: 0 })
  return { value, first }
}

/** Byte streams can be read into the reader's own buffer, so their wrapper must support that too. */
function ofBytes(source: ReadableStream): boolean {
  try {
    source.getReader({ mode: 'byob' }).releaseLock()
    return true
  } catch {
    return false
  }
}

function ignore(): void {}
