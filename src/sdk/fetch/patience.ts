import { realTime, type Time } from '../../time/time.ts'
import type { Send } from './relay.ts'

/** In which the SDKs of OpenAI, Anthropic and others say how many seconds they wait for the head of an answer. */
const PATIENCE_HEADER = 'x-stainless-timeout'
/** Of that time, how much may pass before the client must have something: it began to count earlier than we. */
const MOST_OF_IT = 0.8

/** In which they say how often they asked before. They ask again for an answer that they were not given, or that came too late. */
const ASKED_BEFORE_HEADER = 'x-stainless-retry-count'

/** So soon after it gave up, one that asks again does so for that; its user may have ended the question before, in milliseconds. */
const AGAIN_WITHIN_MS = 10_000
/** The clients that gave up last are known, up to this many. */
const MOST_CLIENTS = 1_000

/** How long clients can be kept waiting for the head of an answer. */
export class Patience {
  readonly #time: Pick<Time, 'monotonic'>
  readonly #gaveUp = new Map<string, { at: number; afterMs: number }>()

  constructor(time: Pick<Time, 'monotonic'> = realTime) {
    this.#time = time
  }

  /**
   * In milliseconds; undefined if it is not known. A client that asks again without saying how long it waits bears as much as
   * when it gave up.
   * @param headerOf reads a header of its request
   */
  of(headerOf: (name: string) => string | null | undefined, client = ''): number | undefined {
    const said = headerOf(PATIENCE_HEADER)
    if (said && /^\d+$/.test(said)) return patienceMs(Number(said) * 1_000)
    const last = this.#gaveUp.size > 0 ? this.#gaveUp.get(client) : undefined
    if (!last || this.#time.monotonic() - last.at > AGAIN_WITHIN_MS) return undefined
    return Number(headerOf(ASKED_BEFORE_HEADER)) > 0 ? patienceMs(last.afterMs) : undefined
  }

  /** A client left before it was given the head of an answer. @param since when it asked, on the clock that cannot be set */
  gaveUp(since: number, client = ''): void {
    if (this.#gaveUp.size >= MOST_CLIENTS) this.#gaveUp.clear()
    const at = this.#time.monotonic()
    this.#gaveUp.set(client, { at, afterMs: at - since })
  }
}

function patienceMs(timeoutMs: number): number {
  return Math.max(1, timeoutMs * MOST_OF_IT)
}

/**
 * How long the head of an answer is kept back until its first content has come, in milliseconds. Most clients cannot say how long
 * they would wait.
 */
export const HEAD_MS = 1_000

/**
 * Asks, and hands out the head of an answer that is slow to begin: alone, the client would have had it at once, and many end what
 * has no head in time. What is in the answer is decided as ever; the client reads it once it is.
 * @param ask sends requests, and resolves with the answer; its signal aborts if the client wants no more
 */
export function headInTime(
  ask: (send: Send, left: AbortSignal) => Promise<Response>,
  send: Send,
  { patienceMs = HEAD_MS, time = realTime }: { patienceMs?: number | undefined; time?: Time | undefined },
): Promise<Response> {
  return new Promise((resolve, reject) => {
    let isLate = false
    let begun: { head: Response; signal: AbortSignal | null | undefined } | undefined
    const leaving = new AbortController()
    const handOut = () => {
      // A try that has failed has no head to give.
      if (isLate && begun && !begun.signal?.aborted) resolve(headOf(begun.head, whole, leaving))
    }
    const later = time.inBackground ?? time.after
    const cancel = later.call(time, Math.min(patienceMs, HEAD_MS), () => {
      isLate = true
      handOut()
    })
    const asking = async (url: URL, init: RequestInit) => {
      const head = await send(url, init)
      if (head.ok && head.body) begun = { head, signal: init.signal }
      handOut()
      return head
    }
    const whole = ask(asking, leaving.signal).finally(cancel)
    whole.then(resolve, reject)
  })
}

/** An answer with this head, whose body comes later. A client that does not want it ends the call, as it would end its request. */
function headOf(head: Response, whole: Promise<Response>, leaving: AbortController): Response {
  const reading = whole.then(({ body }) => body?.getReader())
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const read = await (await reading)?.read()
      if (read?.value) controller.enqueue(read.value)
      else controller.close()
    },
    cancel(reason) {
      leaving.abort(reason)
      // The call has ended, or does now: nobody is left to be told how.
      reading.then(reader => reader?.cancel(reason)).catch(() => {})
    },
  })
  return new Response(body, head)
}
