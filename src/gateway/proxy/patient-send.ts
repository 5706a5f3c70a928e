import { Readable } from 'node:stream'
import type { Send } from '../../sdk/fetch/relay.ts'
import { decoded } from './decoded.ts'

/** Statuses whose answers have no body. */
const WITHOUT_BODY = new Set([204, 205, 304])
/** More headers than any vendor sends, in bytes. */
const MOST_HEADERS = 65_536

/**
 * Sends requests without a time limit: models may think for longer than the five minutes of `fetch`, which also adds headers of
 * its own and costs several times as much.
 */
export async function patientSend(): Promise<Send> {
  const { Agent } = await import('undici')
  const agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connections: null,
    maxHeaderSize: MOST_HEADERS,
  })
  return async ({ origin, pathname, search }, { method = 'GET', headers, body, signal }) => {
    const answer = await agent.request({
      origin,
      path: pathname + search,
      method: method as 'GET',
      headers: Object.fromEntries(headers as Headers),
      body:
        body instanceof ReadableStream ? Readable.fromWeb(body as never) : ((body ?? null) as Buffer | null),
      signal: signal ?? null,
    })
    const given = new Headers()
    for (const [name, value] of Object.entries(answer.headers))
      for (const one of Array.isArray(value) ? value : [value ?? '']) given.append(name, inBytes(one))
    const { statusCode: status } = answer
    if (status < 200 || status > 599) {
      answer.body.on('error', () => {}).destroy()
      throw new NoStatus(status)
    }
    if (WITHOUT_BODY.has(status)) answer.body.resume()
    return new Response(
      WITHOUT_BODY.has(status) ? null : webStream(decoded(answer.body, given.get('content-encoding'))),
      {
        status,
        headers: given,
      },
    )
  }
}

/** What answered does not speak HTTP as a provider does. */
class NoStatus extends Error {
  override name = 'NoStatus'

  constructor(status: number) {
    super(`the answer has the status ${status}, which means nothing`)
  }
}

/** A header with letters beyond Latin-1 goes on as the bytes that came. */
function inBytes(header: string): string {
  return /[^\0-\xff]/.test(header) ? Buffer.from(header).toString('latin1') : header
}

/** Reads a piece only when it is asked for. */
function webStream(body: Readable): ReadableStream<Uint8Array> {
  // It may fail before anybody reads, which would end the process. Who reads then sees it.
  body.on('error', () => {})
  const pieces = body.iterator({ destroyOnReturn: true })
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await pieces.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel() {
        body.destroy()
      },
    },
    { highWaterMark: 0 },
  )
}
