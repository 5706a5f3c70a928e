import { realTime, type Time } from '../../time/time.ts'
import type { ModelRequest } from './model-request.ts'
import type { Send } from './relay.ts'

/** In which the SDKs of OpenAI, Anthropic and others say how many seconds they wait for the head of an answer. */
export const PATIENCE_HEADER = 'x-stainless-timeout'
/** Of that time, how much may pass before the client must have something: it began to count earlier than we. */
const MOST_OF_IT = 0.8

/** How long a client can be kept waiting for the head of an answer, in milliseconds; undefined if it does not say. */
export function patienceOf({ init, headers }: Pick<ModelRequest, 'init' | 'headers'>): number | undefined {
  // Nearly every client gives its headers in a form that can be asked: copying them would take longer.
  return patienceIn((init.headers instanceof Headers ? init.headers : headers).get(PATIENCE_HEADER))
}

/** The same for what the header says; null if there is none. */
export function patienceIn(said: string | null): number | undefined {
  return said !== null && /^\d+$/.test(said) ? Math.max(1, Number(said) * 1_000 * MOST_OF_IT) : undefined
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
