import { createServer, get, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import { NodeHealth as Health } from '../../process/node-health.ts'
import { FakeTime } from '../../testing/core/fake-time.ts'
import { call } from '../call.ts'
import type { CallFailed } from '../call-failed.ts'

const open: (() => void)[] = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

/** The address of a server that answers like this. */
async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  open.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

const answering = (status: number, body: string, headers: Record<string, string> = {}) =>
  serving((_request, response) => response.writeHead(status, headers).end(body))

const failing = (url: string, options: Parameters<typeof call>[1] = {}) =>
  call(({ signal }) => fetch(url, { signal }), { maxRetries: 0, ...options }).then(
    () => {
      throw new Error('it succeeded')
    },
    (error: unknown) => error as CallFailed,
  )

describe('a failed answer of fetch', () => {
  it.each([
    [
      429,
      { error: { type: 'insufficient_quota', code: 'insufficient_quota', message: 'x' } },
      'throttle/billing',
    ],
    [429, { error: { type: 'rate_limit_error', message: 'slow down' } }, 'throttle/rate_limit'],
    [400, { error: { message: 'Your credit balance is too low' } }, 'throttle/billing'],
    [400, { error: { code: 'context_length_exceeded', message: 'too long' } }, 'permanent/context_overflow'],
    [503, 'no healthy upstream', 'transient/overloaded'],
  ])('with %i is classified by its body %j as %s', async (status, body, expected) => {
    const url = await answering(status, typeof body === 'string' ? body : JSON.stringify(body))
    const { failure, cause } = await failing(url)
    const same = (kind: string) => kind.replace('server_error', 'overloaded')
    expect(same(`${failure.class}/${failure.kind}`)).toBe(expected)
    expect(failure.status).toBe(status)
    expect(cause).toBeInstanceOf(Response)
  })

  it('is classified by its status if its body never ends, after its first 64 KiB', async () => {
    let sent = 0
    const endless = new ReadableStream({
      pull: controller => {
        sent += 16_384
        controller.enqueue(new Uint8Array(16_384))
      },
    })
    const failed = call(() => new Response(endless, { status: 503 }), { maxRetries: 0 })
    await expect(failed).rejects.toMatchObject({ failure: { class: 'transient', status: 503 } })
    expect(sent).toBeLessThanOrEqual(131_072)
  })

  it('is classified by its status if its body does not arrive, after five seconds', async () => {
    const time = new FakeTime()
    const silent = new ReadableStream()
    const failed = call(() => new Response(silent, { status: 503 }), { maxRetries: 0, time })
    await expect(time.until(failed)).rejects.toMatchObject({ failure: { class: 'transient', status: 503 } })
  })

  it('can still be read by the caller, from the cause', async () => {
    const url = await answering(429, '{"error":{"type":"rate_limit_error"}}', { 'retry-after': '7' })
    const { failure, cause } = await failing(url)
    expect(failure.retryAfterMs).toBe(7_000)
    expect(await (cause as Response).json()).toEqual({ error: { type: 'rate_limit_error' } })
  })

  it('is the caller’s own, unread, with softFailures off', async () => {
    const url = await answering(429, '{"error":"slow down"}')
    const { value } = await call(() => fetch(url), { softFailures: false })
    expect(value.status).toBe(429)
    expect(value.bodyUsed).toBe(false)
    expect(await value.json()).toEqual({ error: 'slow down' })
  })

  it('is read only up to a limit', async () => {
    const url = await serving((_request, response) => {
      response.writeHead(500)
      response.write('overloaded_error '.repeat(10_000))
      // Never ends.
    })
    expect((await failing(url)).failure.status).toBe(500)
  })
})

describe('a failed answer of another client', () => {
  const asked = (url: string) => new Promise<IncomingMessage>(resolve => get(url, resolve))

  it('is recognised by its status, and can be read from the cause', async () => {
    const url = await answering(429, 'slow down', { 'retry-after': '7' })
    const error = await call(() => asked(url), { maxRetries: 0 }).catch(
      (error: unknown) => error as CallFailed,
    )
    const { failure, cause } = error as CallFailed
    expect(failure).toMatchObject({ kind: 'rate_limit', status: 429, retryAfterMs: 7_000 })
    expect(String((await (cause as IncomingMessage).toArray()).join(''))).toBe('slow down')
  })

  it('that replaces fetch is read from a copy', async () => {
    const Own = {
      Response: class {
        get status() {
          return 429
        }
        get headers() {
          return new Headers()
        }
        get body() {
          return Readable.from([Buffer.from('{"error":{"code":"insufficient_quota"}}')])
        }
        clone() {
          return this
        }
      },
    }.Response
    const failed = call(() => new Own(), { maxRetries: 0 })
    await expect(failed).rejects.toMatchObject({ failure: { kind: 'billing', status: 429 } })
  })

  it('is a watched stream if it succeeded', async () => {
    const url = await serving((_request, response) => {
      response.writeHead(200)
      response.write('first')
    })
    const { value } = await call(() => asked(url), { idleMs: 20 })
    await expect(value.toArray()).rejects.toMatchObject({ name: 'CallFailed', failure: { kind: 'stall' } })
  })
})

describe('a successful answer of fetch', () => {
  it('keeps its properties', async () => {
    const url = await answering(200, '{"id":1}', { 'content-type': 'application/json', 'x-a': 'b' })
    const { value } = await call(({ signal }) => fetch(url, { signal }), { budgetMs: 60_000 })
    expect(value).toBeInstanceOf(Response)
    expect(value).toMatchObject({
      status: 200,
      ok: true,
      url,
      redirected: false,
      type: 'basic',
      bodyUsed: false,
    })
    expect(value.headers.get('x-a')).toBe('b')
    const copy = value.clone()
    expect(copy.url).toBe(url)
    expect(await value.json()).toEqual({ id: 1 })
    expect(await copy.text()).toBe('{"id":1}')
  })

  it('that came whole leaves its bytes to a fetch that keeps them, and can be read into a buffer', async () => {
    const kept = new TextEncoder().encode('{"id":1}')
    const cached = () =>
      new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(kept)
            controller.close()
          },
        }),
        { headers: { 'content-type': 'application/json' } },
      )
    const ask = async () => (await call(cached, { provider: 'openai', firstChunkMs: 1_000 })).value
    expect(await (await ask()).json()).toEqual({ id: 1 })
    const reader = (await ask()).body?.getReader({ mode: 'byob' })
    const { value } = (await reader?.read(new Uint8Array(4))) ?? {}
    expect(new TextDecoder().decode(value)).toBe('{"id')
  })

  it('reports its limits to health before it is read', async () => {
    const url = await answering(200, 'x', {
      'x-ratelimit-limit-requests': '10',
      'x-ratelimit-remaining-requests': '4',
    })
    const health = new Health()
    await call(() => fetch(url), { provider: 'p', health })
    expect((await health.status())[0]?.windows).toMatchObject([{ used: 6, limit: 10 }])
  })

  it('whose connection breaks tells its reader what that means', async () => {
    const url = await serving((_request, response) => {
      response.writeHead(200)
      response.write('first')
      setImmediate(() => response.destroy())
    })
    const { value } = await call(() => fetch(url), { provider: 'p', health: new Health() })
    await expect(value.text()).rejects.toMatchObject({
      name: 'CallFailed',
      failure: { class: 'transient', provider: 'p' },
    })
  })

  it('without a body is passed on unchanged', async () => {
    const answer = new Response(null, { status: 204 })
    const health = new Health()
    expect((await call(() => answer, { provider: 'p', health })).value).toBe(answer)
    expect((await health.status())[0]?.running).toBe(0)
  })
})

describe('a failed answer that is tried again', () => {
  /** A body that records whether it was released. */
  function body() {
    let isCancelled = false
    const stream = new ReadableStream({
      pull: controller => controller.enqueue(new TextEncoder().encode('overloaded ')),
      cancel: () => {
        isCancelled = true
      },
    })
    return { stream, isCancelled: () => isCancelled }
  }

  it('is released at once, which frees its connection', async () => {
    const failed = body()
    const time = new FakeTime()
    const answers = [new Response(failed.stream, { status: 529 }), new Response('fine')]
    const { value } = await time.until(call(() => answers.shift() as Response, { time }))
    expect(await value.text()).toBe('fine')
    expect(failed.isCancelled()).toBe(true)
  })

  it('stays readable if it is the last, and is left alone if something reads it', async () => {
    const last = body()
    const error = await call(() => new Response(last.stream, { status: 529 }), { maxRetries: 0 }).catch(
      (thrown: unknown) => thrown as CallFailed,
    )
    expect(last.isCancelled()).toBe(false)
    const reader = ((error as CallFailed).cause as Response).body?.getReader()
    expect((await reader?.read())?.done).toBe(false)
    const locked = new Response(body().stream, { status: 529 })
    locked.body?.getReader()
    const time = new FakeTime()
    const answers = [locked, new Response('fine')]
    const { value } = await time.until(call(() => answers.shift() as Response, { time }))
    expect(await value.text()).toBe('fine')
  })
})
