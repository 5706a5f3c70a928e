import { createServer, get as httpGet, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { anthropicAt, startProxy } from '../../../test/gateway/proxy/proxy.ts'
import { asResponse } from './as-response.ts'
import { patientSend } from './patient-send.ts'

const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

async function upstream(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  stops.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** An upstream that says exactly this. */
async function saying(text: string | Buffer): Promise<string> {
  const server = createSocketServer(socket => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(text))
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  stops.push(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function get(url: string, method = 'GET'): Promise<Response> {
  const send = await patientSend()
  const answer = await send(new URL(url), { method, headers: {} })
  return answer instanceof Response ? answer : asResponse(answer)
}

it('a body that a 205 must not have is left out, and its client does not wait for it', async () => {
  const at = await saying('HTTP/1.1 205 Reset Content\r\ncontent-length: 5\r\n\r\nhello')
  const { proxy, url } = await startProxy([anthropicAt(at)])
  stops.push(() => proxy.stop())
  // `fetch` never waits for it.
  const body = await new Promise(resolve =>
    httpGet(`${url}/anthropic/v1/files`, answer => {
      let text = ''
      answer.on('data', piece => {
        text += piece
      })
      answer.on('end', () => resolve(text))
    }),
  )
  expect(body).toBe('')
})

it('an answer that comes encoded although nobody asked for it is decoded on its way', async () => {
  const at = await upstream((_, to) => to.setHeader('content-encoding', 'gzip').end(gzipSync('hello')))
  const { proxy, url } = await startProxy([anthropicAt(at)])
  stops.push(() => proxy.stop())
  const answer = await fetch(`${url}/anthropic/v1/files`)
  expect(answer.headers.get('content-encoding')).toBe(null)
  expect(await answer.text()).toBe('hello')
})

describe('an answer that comes encoded', () => {
  const TEXT = 'hello hello hello '.repeat(100)
  it.each<readonly [coding: string, body: Buffer, expected: string]>([
    ['gzip', gzipSync(TEXT), TEXT],
    ['x-gzip', gzipSync(TEXT), TEXT],
    ['GZIP ', gzipSync(TEXT), TEXT],
    ['deflate', deflateSync(TEXT), TEXT],
    ['deflate', deflateRawSync(TEXT), TEXT],
    ['br', brotliCompressSync(TEXT), TEXT],
    ['zstd', zstdCompressSync(TEXT), TEXT],
    ['gzip, br', brotliCompressSync(gzipSync(TEXT)), TEXT],
    ['gzip, gzip, gzip, gzip, gzip, gzip', Buffer.from('as it is'), 'as it is'],
    ['identity', Buffer.from('as it is'), 'as it is'],
    ['gzip', gzipSync(TEXT).subarray(0, -8), TEXT],
    ...['gzip', 'deflate', 'br', 'zstd'].map(coding => [coding, Buffer.alloc(0), ''] as const),
  ])('is read: %s', async (coding, body, expected) => {
    const url = await upstream((_, to) => to.writeHead(200, { 'content-encoding': coding }).end(body))
    expect(await (await get(url)).text()).toBe(expected)
  })

  it.each([
    ['HEAD', 200],
    ['GET', 304],
  ])('has no body after %s %i', async (method, status) => {
    const url = await upstream((_, to) => to.writeHead(status, { 'content-encoding': 'gzip' }).end())
    const answer = await get(url, method)
    expect([answer.status, await answer.text()]).toEqual([status, ''])
  })

  it.each(['gzip', 'deflate', 'br'])('and is no %s fails whoever reads it, even late', async coding => {
    const url = await upstream((_, to) =>
      to.writeHead(200, { 'content-encoding': coding }).end(Buffer.alloc(99, 255)),
    )
    const answer = await get(url)
    // Time for it to fail unread.
    for (let turns = 0; turns < 50; turns++) await new Promise(setImmediate)
    await expect(answer.text()).rejects.toThrow()
  })
})

it('headers beyond Latin-1 come as the bytes they are', async () => {
  const url = await saying('HTTP/1.1 200 OK\r\nx-said: 日本\r\ncontent-length: 2\r\n\r\nok')
  const { headers } = await get(url)
  expect(Buffer.from(headers.get('x-said') as string, 'latin1').toString()).toBe('日本')
})

describe('through the proxy', () => {
  async function proxyTo(url: string): Promise<string> {
    const { proxy, url: at } = await startProxy([anthropicAt(url)])
    stops.push(() => proxy.stop())
    return at
  }

  it.each(['GET', 'POST'])(
    'a status that means nothing is a 502 in the words of the vendor: %s',
    async method => {
      const at = await proxyTo(await saying('HTTP/1.1 999 X\r\ncontent-length: 2\r\n\r\nok'))
      const body = method === 'GET' ? null : JSON.stringify({ model: 'm', max_tokens: 1, messages: [] })
      const path = method === 'GET' ? '/v1/models' : '/v1/messages'
      const answer = await fetch(`${at}/anthropic${path}`, { method, headers: { 'x-api-key': 'k' }, body })
      expect(answer.status).toBe(502)
      expect(await answer.json()).toMatchObject({
        type: 'error',
        error: { type: 'api_error', message: expect.stringContaining('999') },
      })
    },
  )

  it('headers of the connection to the provider stay there', async () => {
    const head = 'connection: close, x-own\r\nx-own: 1\r\nx-all: 2\r\ncontent-length: 2'
    const at = await proxyTo(await saying(`HTTP/1.1 200 OK\r\n${head}\r\n\r\nok`))
    const { headers } = await fetch(`${at}/anthropic/v1/models`, { headers: { 'x-api-key': 'k' } })
    expect([headers.get('x-own'), headers.get('x-all')]).toEqual([null, '2'])
  })

  it('an error without an end is passed on, not read to its end', async () => {
    const message = 'Your credit balance is too low to access the Anthropic API.'
    const error = JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } })
    let sent = 0
    const send = async () => {
      if (sent++ === 0) return new Response(error, { status: 400 })
      const first = new TextEncoder().encode(error)
      let pieces = 0
      const body = new ReadableStream<Uint8Array>({
        pull: controller => controller.enqueue(pieces++ === 0 ? first : new Uint8Array(16_384).fill(32)),
      })
      return new Response(body, { status: 400 })
    }
    const { proxy, url } = await startProxy([anthropicAt('http://first.test')], { send })
    stops.push(() => proxy.stop())
    const ask = () =>
      fetch(`${url}/anthropic/v1/messages`, {
        method: 'POST',
        headers: { 'x-api-key': 'k' },
        body: JSON.stringify({ model: 'm', max_tokens: 1, messages: [] }),
      })
    await (await ask()).text()
    const answer = await ask()
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
    const { value } = await reader.read()
    await reader.cancel()
    expect([answer.status, sent]).toEqual([400, 2])
    expect(new TextDecoder().decode(value)).toContain(message)
  })
})

it('ends at once when nobody waits any more, although it still connects, and sends nothing later', async () => {
  let heard = ''
  // It accepts, and never shakes hands.
  const server = createSocketServer(socket => {
    socket.on('error', () => {})
    socket.once('data', () => connecting.resolve())
    socket.on('data', bytes => {
      heard += bytes.toString('latin1')
    })
  })
  const connecting = Promise.withResolvers<void>()
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  stops.push(() => void server.close())
  const send = await patientSend()
  const ending = new AbortController()
  const { port } = server.address() as AddressInfo
  const sent = send(new URL(`https://127.0.0.1:${port}/v1/files`), {
    method: 'POST',
    headers: {},
    body: Buffer.from('question'),
    signal: ending.signal,
  })
  await connecting.promise
  ending.abort(new Error('the client left'))
  await expect(sent).rejects.toThrow('the client left')
  expect(heard).not.toContain('question')
})
