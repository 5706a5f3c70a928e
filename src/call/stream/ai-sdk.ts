import { dataOf, isObject } from '../../failure/observe/read.ts'
import { shadow } from './iterable.ts'
import type { StreamWatch, Watched } from './watch.ts'
import { type ChunkReader, watchedWeb } from './web.ts'

/** Parts that come before the model has said anything. */
const FRAME = new Set([
  ...['start', 'start-step', 'step-start', 'stream-start', 'response-metadata', 'message-metadata', 'raw'],
  ...['text-start', 'reasoning-start', 'model-call-start', 'model-call-response-metadata'],
])

/**
 * Watches a result of the AI SDK. All its streams and promises are made from one stream, `baseStream`, which is replaced by a
 * watched one. The SDK reports failures as parts of the stream and lets `textStream` end as if nothing happened; here the part
 * carries the classified error, and `textStream` ends with it.
 */
export function watchedResult(result: object, watch: StreamWatch): Watched | undefined {
  const base = dataOf(result, 'baseStream')
  if (!(base instanceof ReadableStream) || base.locked) return undefined
  let reported: unknown
  const chunks: ChunkReader = {
    take(chunk) {
      const part = partOf(chunk)
      // Nothing follows it, and callers who only await the promises may never read to the very end.
      if (part?.type === 'finish') watch.ended()
      if (part?.type !== 'error') return chunk
      reported = watch.report(part.error)
      const told = { ...part, error: reported }
      return part === chunk ? told : { ...(chunk as object), part: told }
    },
    isContent: chunk => !FRAME.has(String(partOf(chunk)?.type)),
  }
  const { value, first } = watchedWeb(base, watch, chunks)
  shadow(result, 'baseStream', value)
  shadowText(result, () => reported)
  const untilContent = async () => {
    await first()
    if (reported !== undefined) throw reported
  }
  return { value: result, first: untilContent }
}

interface Part {
  type?: unknown
  error?: unknown
}

/** A chunk of `streamText` contains a part; a chunk of `streamObject` is one. */
function partOf(chunk: unknown): Part | undefined {
  if (!isObject(chunk)) return undefined
  const { part } = chunk as { part?: unknown }
  return isObject(part) ? part : chunk
}

function shadowText(result: object, reported: () => unknown): void {
  const original = getterOf(result, 'textStream')
  if (!original) return
  Object.defineProperty(result, 'textStream', {
    configurable: true,
    get: () =>
      (original.call(result) as ReadableStream).pipeThrough(
        new TransformStream({
          flush(controller) {
            if (reported() !== undefined) controller.error(reported())
          },
        }),
      ),
  })
}

function getterOf(value: object, name: string): (() => unknown) | undefined {
  for (let at: object | null = value; at; at = Object.getPrototypeOf(at) as object | null) {
    const found = Object.getOwnPropertyDescriptor(at, name)
    if (found) return found.get
  }
  return undefined
}
