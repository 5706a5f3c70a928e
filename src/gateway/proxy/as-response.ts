import { Readable } from 'node:stream'
import type { PushedBody } from '../../call/stream/pushed.ts'
import { decoded } from './decoded.ts'
import type { UpstreamAnswer } from './upstream-answer.ts'

/** Statuses whose answers have no body. */
const WITHOUT_BODY = new Set([204, 205, 304])

/** Whether answers with this status have a body. */
export function hasBody(status: number): boolean {
  return !WITHOUT_BODY.has(status)
}

/** An answer as a `Response`, which can be read twice and is decoded: a failure, or what came encoded. */
export function asResponse({ status, given, headers: named, body }: UpstreamAnswer): Response {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given))
    for (const one of Array.isArray(value) ? value : [value]) headers.append(name, one)
  const stream = readable(body)
  if (hasBody(status))
    return new Response(webStream(decoded(stream, named.get('content-encoding') ?? null)), {
      status,
      headers,
    })
  stream.on('error', () => {}).resume()
  // A client would wait for a body that is left out; after the others it knows that there is none.
  if (status === 205) headers.delete('content-length')
  return new Response(null, { status, headers })
}

function readable(body: PushedBody): Readable {
  let isRead = false
  const stream: Readable = new Readable({
    read() {
      if (isRead) {
        body.resume()
        return
      }
      isRead = true
      body.readBy({
        took: piece => void (stream.push(piece) || body.pause()),
        ended: () => stream.push(null),
        failed: error => void stream.destroy(error as Error),
      })
    },
    destroy(error, done) {
      body.cancel(error ?? new Error('the answer is not read'))
      done(error)
    },
  })
  return stream
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
