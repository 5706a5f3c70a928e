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
): Watched & { readonly value: ReadableStream; whole(): readonly unknown[] | undefined } {
  let reader: ReadableStreamDefaultReader = source.getReader()
  const kept: Result[] = []
  const next = (): Promise<Result> => watch.read(() => reader.read())
  const first = async (): Promise<void> => {
    while (!watch.hasBegun && kept.length < MOST_KEPT) {
      const result = await next()
      kept.push(result)
      if (result.done) return
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
      const { done, value } = kept.shift() ?? (await next())
      if (done) controller.close()
      else for (const chunk of passOn(value)) controller.enqueue(chunk)
    },
    cancel(reason: unknown) {
      watch.cancelled()
      return reader.cancel(reason)
    },
  }
  let made: ReadableStream | undefined
  /** Asked only of a stream that is handed out, because it takes two more readers. No read is under way then. */
  const isOfBytes = () => {
    reader.releaseLock()
    const is = ofBytes(source)
    reader = source.getReader()
    return is
  }
  return {
    first,
    /** All chunks, if they came before the stream was handed out: then nothing is left to watch. */
    whole: () => (kept.at(-1)?.done && !made ? kept.slice(0, -1).map(({ value }) => value) : undefined),
    // Made when it is handed out: a stream takes as long to make as all else that a call does.
    get value() {
      made ??= isOfBytes()
        ? new ReadableStream({ ...underlying, type: 'bytes' })
        : new ReadableStream(underlying, { highWaterMark: 0 })
      return made
    },
  }
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
