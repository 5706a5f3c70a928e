import { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import type { Send } from '../../sdk/fetch/relay.ts'

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
      for (const one of Array.isArray(value) ? value : [value ?? '']) given.append(name, one)
    const { statusCode: status } = answer
    if (WITHOUT_BODY.has(status)) answer.body.resume()
    return new Response(WITHOUT_BODY.has(status) ? null : webStream(decoded(answer.body, given)), {
      status,
      headers: given,
    })
  }
}

const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
}

/** Answers come uncompressed, because we ask for that; one that does not is read all the same. */
function decoded(body: Readable, headers: Headers): Readable {
  const codings =
    headers
      .get('content-encoding')
      ?.toLowerCase()
      .split(/\s*,\s*/) ?? []
  if (!codings.every(coding => Object.hasOwn(DECODERS, coding))) return body
  return codings.reverse().reduce((from, coding) => {
    const to = (DECODERS[coding] as () => NodeJS.ReadWriteStream)() as unknown as Readable
    from.on('error', error => to.destroy(error))
    to.on('close', () => from.destroy())
    from.pipe(to as never)
    return to
  }, body)
}

/** Reads a piece only when it is asked for. */
function webStream(body: Readable): ReadableStream<Uint8Array> {
  const pieces = body.iterator({ destroyOnReturn: true })
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await pieces.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel() {
        body.on('error', () => {}).destroy()
      },
    },
    { highWaterMark: 0 },
  )
}
