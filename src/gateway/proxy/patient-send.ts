import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { PushedBody } from '../../call/stream/pushed.ts'
import { offWire } from '../../call/stream/wire.ts'
import { onAbort } from '../../time/on-abort.ts'
import { asResponse, hasBody } from './as-response.ts'
import { codingsOf } from './decoded.ts'
import { type GivenHeaders, UpstreamAnswer } from './upstream-answer.ts'

/** What a provider answers: what is good as it comes, everything else as a `Response`. */
export type Answer = Response | UpstreamAnswer

/** Sends one request. */
export type ProxySend = (url: URL, init: RequestInit) => Promise<Answer>

/** More headers than any vendor sends, in bytes. */
const MOST_HEADERS = 65_536

/**
 * Sends requests without a time limit: models may think for longer than the five minutes of `fetch`, which also adds headers of
 * its own and costs several times as much.
 */
export async function patientSend(): Promise<ProxySend> {
  const { Agent } = await import('undici')
  const agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connections: null,
    maxHeaderSize: MOST_HEADERS,
  })
  return ({ origin, pathname, search }, { method = 'GET', headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const request = {
        origin,
        path: pathname + search,
        method: method as Dispatcher.HttpMethod,
        headers: headers instanceof Headers ? Object.fromEntries(headers) : (headers as GivenHeaders),
        body: (body instanceof ReadableStream ? Readable.fromWeb(body as never) : body) as Buffer | null,
      }
      offWire(() => agent.dispatch(request, new Exchange(signal, resolve, reject)))
    })
}

/** One request to a provider, and its answer. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #signal: AbortSignal | null | undefined
  readonly #resolve: (answer: Answer) => void
  readonly #reject: (error: unknown) => void
  #controller: Dispatcher.DispatchController | undefined
  #stopListening: (() => void) | undefined
  #body: PushedBody | undefined

  constructor(
    signal: AbortSignal | null | undefined,
    resolve: (answer: Answer) => void,
    reject: (error: unknown) => void,
  ) {
    this.#signal = signal
    this.#resolve = resolve
    this.#reject = reject
    if (signal) this.#stopListening = onAbort(signal, () => this.#abort())
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#signal?.aborted) this.#abort()
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: GivenHeaders): void {
    // Below, it only announces the answer.
    if (status < 200) return
    if (status > 599) {
      controller.abort(new NoStatus(status))
      return
    }
    this.#body = new PushedBody({
      pause: () => controller.pause(),
      resume: () => controller.resume(),
      destroy: reason => controller.abort(asError(reason)),
    })
    const answer = new UpstreamAnswer(status, headers, this.#body)
    const isAsItIs = codingsOf(answer.headers.get('content-encoding') ?? null).length === 0
    this.#resolve(status < 300 && hasBody(status) && isAsItIs ? answer : asResponse(answer))
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body?.push(chunk)
  }

  onResponseEnd(): void {
    this.#stopListening?.()
    this.#body?.ended()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#stopListening?.()
    if (this.#body) this.#body.failed(error)
    else this.#reject(error)
  }

  /** The answer is no longer wanted. While it still connects, nobody can be told but who waits. */
  #abort(): void {
    const reason = asError(this.#signal?.reason)
    if (this.#controller) this.#controller.abort(reason)
    else this.#reject(reason)
  }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('the request was ended', { cause: reason })
}

/** What answered does not speak HTTP as a provider does. */
class NoStatus extends Error {
  override name = 'NoStatus'

  constructor(status: number) {
    super(`the answer has the status ${status}, which means nothing`)
  }
}
