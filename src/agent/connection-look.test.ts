import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { realTime } from '../time/time.ts'
import { codex } from './codex.ts'
import { lookAtConnection, lookAtLimit } from './connection-look.ts'
import { runAgent } from './run-agent.ts'

const folder = mkdtempSync(join(tmpdir(), 'mulligan-look-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise(resolve => server.close(resolve))
})

async function portOf(server: Server): Promise<number> {
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** Speaks no TLS, so every https address of it fails as a wrong certificate does. */
const plainPort = () =>
  portOf(
    createServer(socket => {
      socket.on('error', () => {})
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n', () => socket.destroy())
    }),
  )

const LOGIN_PAGE =
  '<html><head><title>Sign in to your account</title></head><body><form method="post" action="https://sso.corp.example/saml2/login"><input type="hidden" name="SAMLRequest" value="fZJN"><h1>Single sign-on</h1></form></body></html>'

/** An address that answers everything alike, and what it was asked. */
async function answering(
  status: number,
  type: string,
  body: string,
  to?: (request: IncomingMessage) => string,
  headers: Record<string, string> = {},
): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = []
  const server = createHttpServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers['x-api-key']}`)
    const location = to?.(request)
    response
      .writeHead(status, {
        'content-type': type,
        ...headers,
        ...(location === undefined ? {} : { location }),
      })
      .end(body)
  })
  return { url: `http://127.0.0.1:${await portOf(server)}`, asked }
}

const LIMIT = '{"error":{"type":"rate_limit_error","message":"Too many requests"}}'

const details = {
  provider: 'gemini',
  env: {},
  trusts: 'node',
  cwd: folder,
  time: realTime,
  signal: undefined,
} as const

const look = (url: string, { env = {}, key }: { env?: Record<string, string>; key?: string } = {}) =>
  lookAtConnection({ url, key: key === undefined ? undefined : { 'x-api-key': key } }, { ...details, env })

describe('a look at a connection that a CLI could not make', () => {
  it('finds what is wrong with its encryption, and says what to do', async () => {
    const address = `https://127.0.0.1:${await plainPort()}`
    const failure = await look(`${address}/v1beta?key=secret`)
    expect(failure).toMatchObject({ class: 'permanent', kind: 'tls' })
    expect(failure?.message).toContain(`no connection to ${address}: `)
    expect(failure?.message).toContain('NODE_EXTRA_CA_CERTS')
    expect(failure?.message).not.toContain('secret')
  })

  it('finds the login that a proxy asks for', async () => {
    const server = createHttpServer()
    const asked: (string | undefined)[] = []
    server.on('connect', ({ url }, socket) => {
      asked.push(url)
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n', () =>
        socket.destroy(),
      )
    })
    const proxy = `http://127.0.0.1:${await portOf(server)}`
    const failure = await look('https://api.lab.example/v1', { env: { HTTPS_PROXY: proxy } })
    expect(failure).toMatchObject({ class: 'permanent', kind: 'auth' })
    expect(failure?.message).toContain('HTTPS_PROXY')
    expect(asked).toEqual(['api.lab.example:443'])
  })

  it('finds the login that the address itself asks for as a proxy', async () => {
    const { url } = await answering(407, 'text/html', '')
    expect(await look(url)).toMatchObject({ class: 'permanent', kind: 'auth' })
  })

  it('finds a page to log in at, in place of an answer', async () => {
    const { url, asked } = await answering(200, 'text/html; charset=utf-8', LOGIN_PAGE)
    const failure = await look(`${url}/v1/messages`)
    expect(failure).toMatchObject({ class: 'permanent', kind: 'auth' })
    expect(failure?.message).toContain('Log in there with a browser')
    expect(asked).toEqual(['POST /v1/messages undefined'])
  })

  it('believes a refused key only if it was sent', async () => {
    const { url, asked } = await answering(200, 'application/json', '{"error":"invalid API key"}')
    expect(await look(url, { key: 'mine' })).toMatchObject({ class: 'permanent', kind: 'auth' })
    expect(await look(url)).toBeUndefined()
    expect(asked).toEqual(['POST / mine', 'POST / undefined'])
  })

  it('finds a redirect in a circle, and takes the key to no other address', async () => {
    const { url } = await answering(307, 'text/plain', '', request => request.url ?? '/')
    expect(await look(`${url}/v1`, { key: 'mine' })).toMatchObject({ class: 'permanent', kind: 'config' })
    const other = await answering(200, 'text/html', LOGIN_PAGE)
    const away = await answering(307, 'text/plain', '', () => other.url)
    expect(await look(away.url, { key: 'mine' })).toBeUndefined()
    expect(other.asked).toEqual([])
  })

  it('reads only the beginning of an answer', async () => {
    const piece = Buffer.alloc(65_536, ' ')
    const server = createHttpServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{"error":"invalid API key"}')
      const goOn = () => {
        while (!response.destroyed && response.write(piece));
      }
      response.on('drain', goOn)
      goOn()
    })
    const failure = await look(`http://127.0.0.1:${await portOf(server)}`, { key: 'mine' })
    expect(failure).toMatchObject({ class: 'permanent', kind: 'auth' })
  })

  it('does not blame an empty question, an answer, a stream or a refusal that is no 200', async () => {
    for (const [status, type, body] of [
      [200, 'application/json', '{"error":"model is required"}'],
      [
        200,
        'application/json',
        '{"id":"msg_1","type":"message","content":[{"type":"text","text":"invalid API key"}]}',
      ],
      [200, 'text/event-stream', 'data: {"error":"invalid API key"}\n\n'],
      [401, 'application/json', '{"error":"invalid API key"}'],
    ] as const) {
      const { url } = await answering(status, type, body)
      expect(await look(url, { key: 'mine' })).toBeUndefined()
    }
  })

  it('finds nothing where the address answers, is gone, or is none', async () => {
    const methods: (string | undefined)[] = []
    const server = createHttpServer(({ method, url, headers }, response) => {
      methods.push(`${method} ${url} ${headers.authorization}`)
      response.writeHead(404).end()
    })
    const port = await portOf(server)
    expect(await look(`http://127.0.0.1:${port}/v1/models`)).toBeUndefined()
    expect(methods).toEqual(['POST /v1/models undefined'])
    await new Promise(resolve => servers.pop()?.close(resolve))
    expect(await look(`http://127.0.0.1:${port}`)).toBeUndefined()
    expect(await look('not an address')).toBeUndefined()
  })
})

describe('a limit whose end the CLI drops', () => {
  const limit = (key?: string) => async (url: string) =>
    lookAtLimit({ url, key: key === undefined ? undefined : { 'x-api-key': key } }, details)

  it('is dated by the answer to an empty question with the same key', async () => {
    const { url, asked } = await answering(429, 'application/json', LIMIT, undefined, { 'retry-after': '95' })
    expect(await limit('mine')(url)).toMatchObject({ class: 'throttle', retryAfterMs: 95_000 })
    expect(asked).toEqual(['POST / mine'])
  })

  it('is not asked for without a key, nor believed from any other answer', async () => {
    const { url, asked } = await answering(429, 'application/json', LIMIT, undefined, { 'retry-after': '95' })
    expect(await limit()(url)).toBeUndefined()
    expect(asked).toEqual([])
    const other = await answering(400, 'application/json', LIMIT, undefined, { 'retry-after': '95' })
    expect(await limit('mine')(other.url)).toBeUndefined()
  })
})

it('dates the limit of a run whose CLI drops the time, and says who stated it', async () => {
  const qwen = join(folder, 'qwen')
  const said = { type: 'result', subtype: 'error_during_execution', is_error: true }
  const error = { message: '429 The usage limit has been reached' }
  writeFileSync(qwen, `#!/bin/sh\ncat >/dev/null\necho '${JSON.stringify({ ...said, error })}'\nexit 1\n`, {
    mode: 0o700,
  })
  const { url } = await answering(429, 'application/json', LIMIT, undefined, { 'retry-after': '95' })
  const outcome = await runAgent(
    { id: 'mine', cli: 'qwen', binary: qwen },
    { prompt: 'hi' },
    { cwd: folder, env: { PATH: process.env.PATH, HOME: folder, OPENAI_BASE_URL: url, OPENAI_API_KEY: 'k' } },
  )
  expect(outcome).toMatchObject({
    ok: false,
    failure: {
      class: 'throttle',
      kind: 'usage_limit',
      retryAfterMs: 95_000,
      evidence: { clock: 'transport' },
    },
  })
})

describe('the address in the log of codex, which repeats what tools print', () => {
  const asks = (base: string | undefined, endpoint: string) => {
    const config =
      base && `model_provider = "own"\n[model_providers.own]\nbase_url = "${base}"\nenv_key = "KEY"`
    const own = { env: { KEY: 'k', CODEX_API_KEY: 'k' }, home: '/h', readFile: () => config }
    return codex.connection?.asks(own, { id: 'codex', cli: 'codex' }, endpoint)
  }

  it.each([
    ['http://127.0.0.1:1/v1', 'http://127.0.0.1:1/v1/responses'],
    [undefined, 'https://api.openai.com/v1/responses'],
  ])('gets the key where the config says %s', (base, endpoint) => {
    expect(asks(base, endpoint)).toEqual({ url: endpoint, key: { authorization: 'Bearer k' } })
  })

  it.each([
    ['http://127.0.0.1:1/v1', 'http://127.0.0.1:2/v1/responses'],
    ['http://127.0.0.1:1/v1', 'not-an-address/responses'],
    [undefined, 'http://127.0.0.1:2/v1/responses'],
    [undefined, 'http://api.openai.com/v1/responses'],
  ])('gets none where the config says %s and the log %s', (base, endpoint) => {
    expect(asks(base, endpoint)).toEqual({ url: endpoint, key: undefined })
  })

  it('is sent no key by a run that ends at a limit', async () => {
    const asked: (string | undefined)[] = []
    const server = createHttpServer(({ headers }, response) => {
      asked.push(headers.authorization)
      response.writeHead(429, { 'retry-after': '95' }).end(LIMIT)
    })
    const url = `http://127.0.0.1:${await portOf(server)}/responses`
    const binary = join(folder, 'codex')
    const line = `2026-01-01T00:00:00.000000Z ERROR codex_core::tools: error=Exit code: 1 codex_http_client::client: Request failed method=POST url=${url} is_timeout=`
    const failed = { type: 'turn.failed', error: { message: '429 The usage limit has been reached' } }
    writeFileSync(
      binary,
      `#!/bin/sh\ncat >/dev/null\necho '${line}' >&2\necho '${JSON.stringify(failed)}'\nexit 1\n`,
      { mode: 0o700 },
    )
    const env = { PATH: process.env.PATH, HOME: folder, CODEX_HOME: folder, CODEX_API_KEY: 'k' }
    const outcome = await runAgent(
      { id: 'mine', cli: 'codex', binary },
      { prompt: 'hi' },
      { cwd: folder, env },
    )
    expect(outcome).toMatchObject({ ok: false, failure: { class: 'throttle' } })
    expect(asked.filter(key => key !== undefined)).toEqual([])
  })
})

describe('a run that says only that nothing was fetched', () => {
  const gemini = join(folder, 'gemini')
  const said = { type: 'unknown', message: '[API Error: exception TypeError: fetch failed sending request]' }
  writeFileSync(
    gemini,
    `#!/bin/sh\ncat >/dev/null\necho '${JSON.stringify({ type: 'result', status: 'error', error: said })}'\nexit 1\n`,
  )
  chmodSync(gemini, 0o700)
  const runAt = (url: string, binary = gemini) =>
    runAgent(
      { id: 'mine', cli: 'gemini', binary },
      { prompt: 'hi' },
      { cwd: folder, env: { PATH: process.env.PATH, HOME: folder, GOOGLE_GEMINI_BASE_URL: url } },
    )

  it('ends with the cause that its CLI hides', async () => {
    const outcome = await runAt(`https://127.0.0.1:${await plainPort()}`)
    expect(outcome).toMatchObject({
      ok: false,
      failure: { class: 'permanent', kind: 'tls', provider: 'mine', exitCode: 1 },
    })
  })

  it('ends with the page that was sent in place of an answer', async () => {
    const { url } = await answering(200, 'text/html', LOGIN_PAGE)
    expect(await runAt(url)).toMatchObject({ ok: false, failure: { class: 'permanent', kind: 'auth' } })
  })

  it('stays a lost connection once the model has spoken, which shows that its vendor answers', async () => {
    const spoken = { type: 'message', role: 'assistant', content: 'hello', delta: true }
    const binary = join(folder, 'speaking-gemini')
    const lines = [spoken, { type: 'result', status: 'error', error: said }].map(line => JSON.stringify(line))
    writeFileSync(binary, `#!/bin/sh\ncat >/dev/null\nprintf '%s\\n' '${lines.join("' '")}'\nexit 1\n`, {
      mode: 0o700,
    })
    const { url } = await answering(200, 'text/html', LOGIN_PAGE)
    expect(await runAt(url, binary)).toMatchObject({
      ok: false,
      failure: { class: 'transient', kind: 'network' },
    })
  })

  it('stays a lost connection where the address can be reached', async () => {
    const port = await portOf(createHttpServer((_request, response) => response.end()))
    expect(await runAt(`http://127.0.0.1:${port}`)).toMatchObject({
      ok: false,
      failure: { class: 'transient', kind: 'network' },
    })
  })
})
