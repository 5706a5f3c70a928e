import { isResponse } from '../../failure/observe/read.ts'
import { settleWithin } from '../../time/settle-within.ts'
import type { FailedAnswer } from './chunk-reader.ts'
import { shadow } from './iterable.ts'
import type { StreamWatch, Watched, WatchSettings } from './watch.ts'
import { watchedWeb } from './web.ts'

/** Watches a `Response`: returns one with the same status, headers and URL, whose body is the watched one. */
export function watchedResponse(response: Response, watch: StreamWatch): Watched | undefined {
  if (!response.body || response.bodyUsed || response.body.locked || response.status < 200) return undefined
  const { status, statusText, headers } = response
  watch.isAsked = true
  watch.reader = watch.reader?.with({ answer: { status, statusText, headers } })
  const body = watchedWeb(response.body, watch)
  return {
    first: body.first,
    get value() {
      return new (passedOnClass())(wholeOf(body.whole()) ?? body.value, response)
    },
  }
}

/** A body that has come already, as a stream: a response takes longer to make one from bytes. */
function wholeOf(chunks: readonly unknown[] | undefined): ReadableStream | undefined {
  if (!chunks?.every(chunk => chunk instanceof Uint8Array)) return undefined
  return new ReadableStream({
    type: 'bytes',
    start(controller) {
      // A copy, because a stream of bytes takes away what it is given, and the source may need it again.
      for (const chunk of chunks) if (chunk.byteLength > 0) controller.enqueue(new Uint8Array(chunk))
      controller.close()
    },
  })
}

type Body = ReadableStream
type PassedOn = new (body: Body, of: Response) => Response

let passedOn: PassedOn | undefined

/** The class of a response with another body. Made when it is first needed: naming `Response` makes Node load its HTTP client. */
function passedOnClass(): PassedOn {
  passedOn ??= makePassedOn()
  return passedOn
}

function makePassedOn(): PassedOn {
  // TypeScript knows the accessors of a Response as fields, which nothing can override.
  const Base = Response as unknown as new (body: Body, of: Response) => object
  // It has what a constructed response lacks: where it came from.
  class Passed extends Base {
    readonly #of: Response

    constructor(body: Body, of: Response) {
      super(body, of)
      this.#of = of
    }

    get url(): string {
      return this.#of.url
    }

    get redirected(): boolean {
      return this.#of.redirected
    }

    get type(): string {
      return this.#of.type
    }

    clone(): Response {
      return likeBefore(Response.prototype.clone.call(this as unknown as Response), this.#of)
    }
  }
  // Programs that look at the name of its class know this one.
  Object.defineProperty(Passed, 'name', { value: 'Response' })
  return Passed as unknown as PassedOn
}

/** Copies properties that a constructed Response lacks. */
function likeBefore(made: Response, { url, redirected, type }: Response): Response {
  for (const [name, value] of Object.entries({ url, redirected, type })) shadow(made, name, value)
  shadow(made, 'clone', () => likeBefore(Response.prototype.clone.call(made), made))
  return made
}

/** How many bytes of a body to read to find out what failed: an error is in the first lines. */
const MOST_BYTES = 65_536
/** How long to wait for the body of a failed answer, in milliseconds: its status is already known. */
const LONGEST_READ_MS = 5_000

/** Reads the body of a failed answer from a copy, so the caller can still read the answer itself. */
export async function readFailed(
  response: Response,
  {
    time,
    budget,
    signal,
  }: Pick<WatchSettings, 'time' | 'signal'> & { budget: Pick<WatchSettings['budget'], 'remainingMs'> },
): Promise<FailedAnswer> {
  const { status, statusText, headers } = response
  let body = ''
  const chunks = copiedBody(response)
  if (chunks) {
    const reading = readInto(chunks, text => {
      body += text
    })
    const limitMs = Math.min(LONGEST_READ_MS, budget.remainingMs)
    await settleWithin(reading, time, limitMs, signal)
    chunks.return?.().catch(() => {})
  }
  return { status, statusText, headers, body }
}

/** The body of a copy; undefined if there is none. */
function copiedBody(response: Response): AsyncIterator<Uint8Array> | undefined {
  try {
    const { body } = response.bodyUsed || !response.body ? response : response.clone()
    if (!body || response.bodyUsed) return undefined
    // Replacements of fetch have Node streams here, and some browsers' streams are not iterable.
    if (!(body instanceof ReadableStream)) return (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
    const reader = body.getReader()
    return {
      next: () => reader.read() as Promise<IteratorResult<Uint8Array>>,
      return: () => reader.cancel().then(() => ({ done: true, value: undefined })),
    }
  } catch {
    return undefined
  }
}

async function readInto(chunks: AsyncIterator<Uint8Array>, tell: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  for (let bytes = 0; bytes < MOST_BYTES; ) {
    const { done, value } = await chunks.next()
    if (done) return
    bytes += value.byteLength
    tell(decoder.decode(value, { stream: true }))
  }
}

/**
 * Releases the answer of a failed try that is tried again: nothing will read its body, and its connection would stay busy until
 * the body is garbage collected. Leaves alone an answer that something has begun to read.
 */
export function freeBody(answer: unknown): void {
  if (typeof answer !== 'object' || answer === null || !isResponse(answer)) return
  const { body, bodyUsed } = answer
  if (!body || bodyUsed) return
  try {
    if (body instanceof ReadableStream) {
      if (!body.locked) body.cancel().catch(() => {})
    } else (body as { destroy?: () => void }).destroy?.()
  } catch {
    // Best effort: the answer is not ours.
  }
}
