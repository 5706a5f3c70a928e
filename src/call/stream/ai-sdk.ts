import { dataOf } from '../../failure/observe/read.ts'
import { partOf } from '../../failure/stream/ai-sdk.ts'
import { shadow } from './iterable.ts'
import type { StreamWatch, Watched } from './watch.ts'
import { watchedWeb } from './web.ts'

/** Promises of a result from which all its other promises are made. */
const PROMISES = ['steps', 'totalUsage', 'finishReason', 'rawFinishReason']

/** Promises of what the SDK makes from the whole answer, which may miss its schema. */
const MADE = ['object', 'output']

/**
 * Watches a result of the AI SDK. All its streams and promises are made from one stream, `baseStream`, which is replaced by a
 * watched one. The SDK reports failures as parts of the stream, lets `textStream` end as if nothing happened, and finishes even a
 * stream that was cut. Here a part carries the classified error, `textStream` ends with it, and the promises reject with it.
 */
export function watchedResult(result: object, watch: StreamWatch): Watched | undefined {
  const base = dataOf(result, 'baseStream')
  if (!(base instanceof ReadableStream) || base.locked) return undefined
  const reader = watch.reader?.with({ grammar: 'ai-sdk', expectsChunk: true })
  watch.reader = reader
  let reported: unknown
  const report = (cause: unknown) => {
    reported = watch.report(cause)
    return { type: 'error', error: reported }
  }
  const passOn = (chunk: unknown): readonly unknown[] => {
    const part = partOf(chunk as object) as { type?: unknown; error?: unknown }
    const around = (told: object) => (part === chunk ? told : { ...(chunk as object), part: told })
    if (part.type === 'error') return [around({ ...part, ...report(part.error) })]
    if (part.type !== 'finish') return [chunk]
    const told = reader?.failed !== undefined && reported === undefined ? [around(report(reader.failed))] : []
    // Nothing follows it, and callers who only await the promises may never read to the very end.
    watch.ended()
    return [...told, chunk]
  }
  const { value, first } = watchedWeb(base, watch, passOn)
  shadow(result, 'baseStream', value)
  const reportedError = () => reported ?? watch.error
  shadowText(result, reportedError)
  for (const name of PROMISES) shadowPromise(result, name, reportedError)
  for (const name of MADE) shadowPromise(result, name, reportedError, cause => watch.onMissed(cause))
  return { value: result, first }
}

/** Makes `textStream` throw what was reported. */
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

/**
 * Makes a promise reject with what was reported. The SDK itself resolves it with what it got until then.
 * @param classified the error for what the promise itself rejects with; default that
 */
function shadowPromise(
  result: object,
  name: string,
  reported: () => unknown,
  classified = (error: unknown) => error,
): void {
  const original = getterOf(result, name)
  if (!original) return
  const settle = async (promise: PromiseLike<unknown>) => {
    try {
      const value = await promise
      if (reported() === undefined) return value
    } catch (error) {
      throw reported() ?? classified(error)
    }
    throw reported()
  }
  Object.defineProperty(result, name, {
    configurable: true,
    get() {
      const settled = settle(original.call(result) as PromiseLike<unknown>)
      // The SDK asks for it too, and does not listen.
      settled.catch(() => {})
      return settled
    },
  })
}

function getterOf(value: object, name: string): (() => unknown) | undefined {
  for (let at: object | null = value; at; at = Object.getPrototypeOf(at) as object | null) {
    const found = Object.getOwnPropertyDescriptor(at, name)
    if (found) return found.get
  }
  return undefined
}
