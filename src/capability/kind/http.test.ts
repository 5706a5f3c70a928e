import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testContext } from '../../../test/capability/context.ts'
import { classify } from '../../failure/classify.ts'
import { verify } from '../verify.ts'
import { runWork, workFailure } from '../work.ts'
import type { WorkFailed } from '../work-failed.ts'
import { type HttpDefinition, httpCapability } from './http-capability.ts'

interface Seen {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

let server: Server
let origin: string
let seen: Seen[]
let answer: (response: ServerResponse) => void

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    seen.push({ method, url, headers, body: await text(request) })
    answer(response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  return new Promise(resolve => server.close(resolve))
})
beforeEach(() => {
  seen = []
  answer = response => response.setHeader('content-type', 'application/json').end('{"ok":true}')
})

/** An address without a listener. */
async function closedPort(): Promise<string> {
  const closing = createServer()
  await new Promise<void>(resolve => closing.listen(0, '127.0.0.1', resolve))
  const { port } = closing.address() as AddressInfo
  await new Promise(resolve => closing.close(resolve))
  return `http://127.0.0.1:${port}/`
}

function http(definition: Partial<HttpDefinition> & { url: string }) {
  return httpCapability({ name: 'hook', ...definition })
}

describe('an HTTP request', () => {
  it('carries its parameters, each encoded for its place, the idempotency key and the run', async () => {
    const work = http({
      url: `${origin}/items/{id}/v{n}?q={q}&later={later}&fixed=1`,
      headers: { authorization: 'Bearer {env:TOKEN}', 'x-id': 'env:OTHER', 'x-later': '{later}' },
      body: {
        text: 'hi {id}',
        count: '{n}',
        deep: { list: ['{list}', '{later}'] },
        later: '{later}',
        fixed: null,
      },
      params: {
        id: {},
        n: { type: 'integer' },
        q: {},
        list: { type: 'json' },
        later: { required: false },
      },
    })
    const context = testContext({ env: { TOKEN: 't', OTHER: 'o' }, idempotencyKey: 'op-3', run: 4 })
    const result = await work.run({ id: 'a/b?c#d"', n: 2, q: 'x&y=z', list: [1] }, context)
    expect(result).toEqual({ ok: true })
    expect(seen).toEqual([
      {
        method: 'POST',
        url: '/items/a%2Fb%3Fc%23d%22/v2?q=x%26y%3Dz&fixed=1',
        headers: expect.objectContaining({
          'idempotency-key': 'op-3',
          'mulligan-run': '4',
          authorization: 'Bearer t',
          'x-id': 'o',
          'content-type': 'application/json',
        }),
        body: '{"text":"hi a/b?c#d\\"","count":2,"deep":{"list":[[1]]},"fixed":null}',
      },
    ])
    expect(seen[0]?.headers).not.toHaveProperty('x-later')
    expect(work.variables).toEqual(['TOKEN', 'OTHER'])
  })

  it('puts parameters into JSON as values, even if the JSON is written as text', async () => {
    const work = http({ url: `${origin}/`, body: '{"text": "{message}"}', params: { message: {} } })
    await work.run({ message: '", "admin": "' }, testContext())
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({ text: '", "admin": "' })
  })

  it('sends non-JSON text as text, and takes a whole URL from a variable', async () => {
    const work = http({ url: 'env:HOOK', body: 'done: {id}', params: { id: {} } })
    await work.run({ id: 7 }, testContext({ env: { HOOK: `${origin}/secret-path` } }))
    expect(seen[0]).toMatchObject({ url: '/secret-path', body: 'done: 7' })
    expect(seen[0]?.headers['content-type']).toBe('text/plain; charset=utf-8')
  })

  it('sends no idempotency key with a read', async () => {
    await http({ url: `${origin}/`, method: 'get' }).run({}, testContext())
    expect(seen[0]?.headers).not.toHaveProperty('idempotency-key')
  })

  it('returns text if the answer is not JSON, even if it claims to be', async () => {
    answer = response => response.setHeader('content-type', 'application/json').end('{"cut')
    expect(await http({ url: `${origin}/` }).run({}, testContext())).toBe('{"cut')
    answer = response => response.end('[1]')
    expect(await http({ url: `${origin}/` }).run({}, testContext())).toBe('[1]')
    expect(await http({ url: `${origin}/`, output: 'json' }).run({}, testContext())).toEqual([1])
  })

  it('reads no more of an answer than allowed', async () => {
    answer = response => response.end('x'.repeat(100_000))
    const result = await http({ url: `${origin}/`, bodyLimitBytes: 10 }).run({}, testContext())
    expect(result).toBe(`${'x'.repeat(10)}\n[cut: longer than 10 bytes]`)
  })

  it('that is refused keeps status, headers and body, and is classified by them', async () => {
    answer = response =>
      response.writeHead(503, { 'retry-after': '7' }).end('{"error":{"message":"overloaded"}}')
    const error = await http({ url: `${origin}/x?key=1` })
      .run({}, testContext())
      .catch((thrown: unknown) => thrown)
    const { input, message } = error as WorkFailed
    expect(message).toBe(`POST ${origin}/x answered 503`)
    expect(input).toMatchObject({ status: 503, headers: { 'retry-after': '7' } })
    const direct = classify(input)
    expect(direct).toMatchObject({ class: 'transient', kind: 'overloaded', status: 503, retryAfterMs: 7_000 })
    expect(classify(error)).toMatchObject({ class: 'transient', kind: 'overloaded', retryAfterMs: 7_000 })
    expect(workFailure({ ended: 'threw', error }, {})).toEqual(direct)
  })

  it('is not sent elsewhere by a redirect, which is not a success either', async () => {
    answer = response => response.writeHead(302, { location: '/other' }).end()
    const outcome = await runWork(http({ url: `${origin}/` }), {}, testContext())
    expect(seen).toHaveLength(1)
    expect(workFailure(outcome, {})?.message).toContain('answered 302')
  })

  it('that reaches no server had no effect', async () => {
    const outcome = await runWork(http({ url: await closedPort() }), {}, testContext())
    expect(workFailure(outcome, {})).toMatchObject({ class: 'transient', kind: 'network', effect: 'none' })
  })

  it.each<[Partial<HttpDefinition> & { url: string }, string]>([
    [{ url: 'https://{host}/', params: { host: {} } }, 'url must start with a fixed host'],
    [{ url: 'https://x{host}/', params: { host: {} } }, 'url must start with a fixed host'],
    [{ url: '/items' }, 'url must start with a fixed host'],
    [{ url: 'file:///etc/passwd' }, 'url must start with a fixed host'],
    [{ url: 5 as never }, 'url must be a URL'],
    [{ url: 'https://x/', method: 'brew' as never }, 'method must be one of GET, HEAD, POST'],
    [{ url: 'https://x/', method: 'GET', body: 'x' }, 'a GET request has no body'],
    [{ url: 'https://x/', headers: { 'a b': 'x' } }, '"a b" is not a valid header name'],
    [{ url: 'https://x/{id}' }, 'names the unknown parameter {id}'],
    [{ url: 'https://x/', body: { a: ['{id}'] } }, 'names the unknown parameter {id}'],
  ])('%j is refused', (definition, message) => {
    expect(() => http(definition)).toThrow(message)
  })

  it.each<[string, string[]]>([
    ['..', ['id: must not be "..", which would lead to another URL']],
    ['.', ['id: must not be ".", which would lead to another URL']],
    ['', ['id: must not be empty, because it is part of the URL']],
    ['a\nb', ['id: contains a character that the header x-id cannot carry']],
    ['...', []],
    ['a/../b', []],
  ])('does not take %j', (id, problems) => {
    const work = http({ url: 'https://x/items/{id}', headers: { 'x-id': '{id}' }, params: { id: {} } })
    expect(work.problems({ id })).toEqual(problems)
  })
})

describe('a verification by HTTP', () => {
  it.each<[number, unknown]>([
    [200, { state: 'done', value: { ok: true } }],
    [404, { state: 'absent' }],
    [410, { state: 'absent' }],
    [401, { state: 'unsure', reason: expect.stringContaining('answered 401, where 2xx means done') }],
    [500, { state: 'unsure', reason: expect.stringContaining('answered 500') }],
  ])('answered with %i', async (status, wanted) => {
    answer = response => response.writeHead(status).end('{"ok":true}')
    const work = http({
      url: `${origin}/`,
      params: { id: {} },
      retry: 'verify_first',
      verify: { http: { url: `${origin}/items/{id}` }, value: 'json' },
    })
    expect(await verify(work, { id: '5' }, testContext())).toEqual(wanted)
    expect(seen).toMatchObject([{ method: 'GET', url: '/items/5' }])
  })

  it('that reaches no server is unsure', async () => {
    const work = http({
      url: `${origin}/`,
      retry: 'verify_first',
      verify: { http: { url: await closedPort() } },
    })
    expect(await verify(work, {}, testContext())).toMatchObject({ state: 'unsure' })
  })
})
