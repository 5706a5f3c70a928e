import type { StreamWatch, Watched } from './watch.ts'

/** What a chunk means; specific to the client. */
export interface ChunkReader {
  /** The chunk to pass on. */
  take(chunk: unknown): unknown
  /** True for a chunk that is part of the answer, not only of its frame. */
  isContent(chunk: unknown): boolean
}

const ANY_CHUNK: ChunkReader = { take: chunk => chunk, isContent: () => true }

/** What the controllers of both kinds of streams share. */
interface Controller {
  enqueue(chunk: unknown): void
  close(): void
  error(error: unknown): void
}

type Result = { done: boolean; value?: unknown }

/** Watches a web stream. Reads nothing before it is asked for; a reader that cancels also cancels the source. */
export function watchedWeb(
  source: ReadableStream,
  watch: StreamWatch,
  chunks: ChunkReader = ANY_CHUNK,
): Watched & { value: ReadableStream } {
  const isOfBytes = ofBytes(source)
  const reader = source.getReader()
  const kept: Promise<Result>[] = []
  const next = async (): Promise<Result> => {
    const result: Result = await watch.read(() => reader.read())
    return result.done ? result : { done: false, value: chunks.take(result.value) }
  }
  const first = async (): Promise<void> => {
    for (;;) {
      const reading = next()
      kept.push(reading)
      const { done, value } = await reading
      if (done || chunks.isContent(value)) return
    }
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
      else controller.enqueue(value)
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
