import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestApi } from '../../../test/gateway/http/api.ts'
import { scriptedCapability } from '../../testing/scripted.ts'
import { CSRF_HEADER } from './guard.ts'
import { TOKEN_FILES, Tokens } from './token-files.ts'

/** Without openssl there is no certificate to test with; CI has it. */
const NO_OPENSSL = process.env.CI !== 'true' && spawnSync('openssl', ['version']).status !== 0

let api: TestApi
const start = async (toml = '') => {
  api = await TestApi.start({ toml, capabilities: [scriptedCapability({ name: 'fine' }).capability] })
}
beforeEach(() => start())
afterEach(async () => {
  // The daemon must still answer after every test.
  expect((await api.send('/healthz', { token: null })).status).toBe(200)
  expect(api.answered.filter(({ status }) => status >= 500)).toEqual([])
  await api.close()
})

/** Sends raw bytes, and returns everything received until the connection ends. */
function raw(bytes: string, { ends = true }: { ends?: boolean } = {}): Promise<string> {
  const { port, hostname } = new URL(api.url)
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(Number(port), hostname, () => {
      socket.write(bytes)
      if (ends) socket.end()
    })
    let text = ''
    socket.on('data', chunk => {
      text += chunk
    })
    socket.on('close', () => resolve(text))
    socket.on('error', error =>
      (error as NodeJS.ErrnoException).code === 'ECONNRESET' ? resolve(text) : reject(error),
    )
  })
}

const authorized = () => `Host: 127.0.0.1\r\nAuthorization: Bearer ${api.token}\r\n`

describe('access', () => {
  it('needs a token for every route except /healthz and signing in', async () => {
    for (const { path, method, id, demand } of api.gateway.routes) {
      const { status } = await api.send(path.replace(/\{\w+\}/g, 'x'), {
        method: method.toUpperCase(),
        token: null,
      })
      expect({ id, status }).toEqual({ id, status: demand === 'open' ? (id === 'isAlive' ? 200 : 400) : 401 })
    }
    expect(api.gateway.routes.filter(({ demand }) => demand === 'open').map(({ id }) => id)).toEqual([
      'isAlive',
      'signIn',
    ])
  })

  it('does not reveal which routes exist', async () => {
    for (const path of ['/nowhere', '/v1/operations/op_1', '/metrics', '/'])
      expect((await api.send(path, { token: null })).status).toBe(401)
    expect((await api.send('/v1/operations', { method: 'DELETE', token: null })).status).toBe(401)
    expect((await api.send('/nowhere')).status).toBe(404)
    const wrongMethod = await api.send('/v1/operations', { method: 'DELETE' })
    expect([wrongMethod.status, wrongMethod.headers.get('allow')]).toEqual([405, 'GET, POST'])
  })

  it.each(['x', '', 'mlg_', 'Bearer', '\u00e9'])('refuses the token %j', async token => {
    expect((await api.send('/v1/status', { token })).status).toBe(401)
  })

  it('accepts no token in the URL, and no other scheme', async () => {
    expect((await api.send(`/v1/status?token=${api.token}`, { token: null })).status).toBe(401)
    const basic = { authorization: `Basic ${Buffer.from(`x:${api.token}`).toString('base64')}` }
    expect((await api.send('/v1/status', { token: null, headers: basic })).status).toBe(401)
  })

  it('lets the read-only token read but change nothing', async () => {
    const token = api.readOnlyToken
    expect((await api.send('/v1/caller', { token })).json).toMatchObject({
      access: 'read_only',
      scope: 'read',
    })
    for (const { path, method, id, demand } of api.gateway.routes) {
      if (demand === 'open' || demand === 'look') continue
      const answer = await api.send(path.replace(/\{\w+\}/g, 'x'), { method: method.toUpperCase(), token })
      expect({ id, status: answer.status, code: answer.json.code }).toEqual({
        id,
        status: 403,
        code: 'read_only',
      })
    }
  })

  it('answers wrong tokens ever later, and right ones at once', async () => {
    const wrong = Array.from({ length: 110 }, () => api.send('/v1/status', { token: 'wrong' }))
    const isDone = Promise.allSettled(wrong)
    await expect.poll(() => api.answered.some(({ status }) => status === 429)).toBe(true)
    expect((await api.send('/v1/status')).status).toBe(200)
    // Waiting answers end when it stops.
    await api.gateway.stop()
    const statuses = (await isDone).map(each => (each.status === 'fulfilled' ? each.value.status : 0))
    // On a busy machine, some requests arrive only after the stop and get no answer.
    const answered = statuses.filter(status => status !== 0)
    expect(new Set(answered)).toEqual(new Set([401, 429]))
    expect(answered.length).toBeGreaterThan(wrong.length / 2)
    await api.close()
    await start()
  })

  it('keeps tokens in files that only the owner can read, and refuses others', async () => {
    const file = join(api.folder, TOKEN_FILES.full)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(Tokens.open(api.folder).accessOf(api.token)).toBe('full')
    chmodSync(file, 0o644)
    expect(() => Tokens.open(api.folder)).toThrow('other users can read')
    chmodSync(file, 0o600)
    writeFileSync(file, 'short\n')
    expect(() => Tokens.open(api.folder)).toThrow('contains no valid token')
  })
})

describe('the origin of a request', () => {
  it.each(['evil.example', '127.0.0.1.evil.example', 'localhost.', '127.0.0.1:x', '[::2]', '', '0x7f.1'])(
    'refuses the host %j',
    async host => {
      const text = await raw(
        `GET /v1/status HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${api.token}\r\nConnection: close\r\n\r\n`,
      )
      expect(text).toMatch(/^HTTP\/1\.1 40[03] /)
    },
  )

  it.each(['localhost', 'LOCALHOST:4517', '127.0.0.1:1', '[::1]:80'])('accepts the host %j', async host => {
    const text = await raw(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    expect(text).toMatch(/^HTTP\/1\.1 200 /)
  })

  it.each([
    ['http://evil.example/v1/status', 403],
    ['http://127.0.0.1/v1/status', 200],
  ])('checks the host of the whole URL %s', async (url, status) => {
    const text = await raw(`GET ${url} HTTP/1.1\r\n${authorized()}Connection: close\r\n\r\n`)
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  })

  it('accepts hosts of the config', async () => {
    await api.close()
    await start('[http]\nhosts = ["mulligan.example"]\n')
    const text = await raw('GET /healthz HTTP/1.1\r\nHost: mulligan.example\r\nConnection: close\r\n\r\n')
    expect(text).toMatch(/^HTTP\/1\.1 200 /)
  })

  it.each([
    [{ origin: 'http://evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ origin: 'http://127.0.0.1:1' }, 403],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{ 'sec-fetch-site': 'same-origin' }, 200],
  ])('answers a page that says %j with %i', async (headers, status) => {
    const text = await raw(
      `GET /v1/status HTTP/1.1\r\n${authorized()}${Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('')}Connection: close\r\n\r\n`,
    )
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  })

  it('accepts its own origin, and sends no header that lets other origins read', async () => {
    const { headers, status } = await api.send('/v1/status', { headers: { origin: api.url } })
    expect(status).toBe(200)
    expect([...headers.keys()].filter(name => name.startsWith('access-control'))).toEqual([])
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    const preflight = await api.send('/v1/operations', {
      method: 'OPTIONS',
      headers: { origin: 'http://evil.example' },
    })
    expect(preflight.status).toBe(403)
  })
})

describe('a browser', () => {
  const signIn = (code: string) => api.send('/v1/sign_in', { method: 'POST', body: { code }, token: null })

  it('signs in once per code, and writes only with its csrf value', async () => {
    const { code } = (await api.post('/v1/sign_in_codes')).json
    const signedIn = await signIn(code.toLowerCase())
    const set = signedIn.headers.get('set-cookie') as string
    expect(set).toMatch(/^mulligan_browser=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/)
    expect((await signIn(code)).status).toBe(401)
    const cookie = set.split(';', 1)[0] as string
    const as = (headers: Record<string, string>) => ({ token: null, headers: { cookie, ...headers } })
    expect((await api.send('/v1/status', as({}))).status).toBe(200)
    const body = { capability: 'fine' }
    const write = (headers: Record<string, string>) =>
      api.send('/v1/operations', { method: 'POST', body, ...as(headers) })
    expect(await write({})).toMatchObject({ status: 403, json: { code: 'csrf' } })
    expect(await write({ [CSRF_HEADER]: 'wrong' })).toMatchObject({ status: 403, json: { code: 'csrf' } })
    const { csrf } = signedIn.json
    expect((await api.send('/v1/caller', as({}))).json).toMatchObject({ access: 'full', csrf })
    expect((await write({ [CSRF_HEADER]: csrf })).status).toBe(201)
    const out = await api.send('/v1/sign_out', { method: 'POST', ...as({ [CSRF_HEADER]: csrf }) })
    expect(out.json).toEqual({ signed_out: true })
    expect((await api.send('/v1/status', as({}))).status).toBe(401)
  })

  const signedIn = async () => {
    const { headers, json } = await signIn(api.gateway.newCode())
    return { cookie: headers.get('set-cookie')?.split(';', 1)[0] as string, csrf: json.csrf as string }
  }

  it('needs its csrf value for every route that changes anything', async () => {
    const { cookie } = await signedIn()
    for (const { path, method, id, demand } of api.gateway.routes) {
      if (demand === 'open' || demand === 'look') continue
      const { status, json } = await api.send(path.replace(/\{\w+\}/g, 'x'), {
        method: method.toUpperCase(),
        token: null,
        headers: { cookie },
      })
      expect({ id, status, code: json.code }).toEqual({ id, status: 403, code: 'csrf' })
    }
    const unsafe = api.gateway.routes.filter(({ method }) => method !== 'get')
    const others = unsafe.filter(({ demand }) => demand === 'open' || demand === 'look').map(({ id }) => id)
    // These change nothing, or only the browser itself; a browser has only the read-only tools of MCP.
    expect(others).toEqual(['previewLabel', 'backtest', 'mcp', 'signIn', 'signOut'])
  })

  it('stays signed in beside a cookie that another program on this host gave it', async () => {
    const { cookie } = await signedIn()
    const as = (header: string) =>
      api.send('/v1/status', { token: null, headers: { cookie: header } }).then(({ status }) => status)
    expect(await as(`mulligan_browser=planted; ${cookie}`)).toBe(200)
    const many = Array.from({ length: 100 }, (_, n) => `mulligan_browser=${String(n).padStart(43, 'x')}`)
    expect(await as([...many, cookie].join('; '))).toBe(200)
    expect(await as(`other=${'x'.repeat(60_000)}; ${cookie}`)).toBe(200)
    expect(await as('mulligan_browser=planted; mulligan_browser=')).toBe(401)
  })

  it('keeps its csrf value out of its cache', async () => {
    const { cookie } = await signedIn()
    const { headers } = await api.send('/v1/caller', { token: null, headers: { cookie } })
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('cannot guess a code: five wrong ones void all codes', async () => {
    const { code } = (await api.post('/v1/sign_in_codes')).json
    for (let n = 0; n < 5; n += 1) expect((await signIn('0000-0000')).status).toBe(401)
    expect((await signIn(code)).status).toBe(401)
  })
})

describe('the form of a request', () => {
  it('refuses bodies that are too large, by their stated length or while they arrive', async () => {
    await api.close()
    await start('[http]\nmax_body_bytes = 1000\n')
    const large = JSON.stringify({ capability: 'fine', params: { x: 'x'.repeat(2000) } })
    expect(await api.send('/v1/operations', { method: 'POST', body: large })).toMatchObject({ status: 413 })
    const head = `POST /v1/operations HTTP/1.1\r\n${authorized()}Content-Type: application/json\r\n`
    const chunk = `3e8\r\n${'x'.repeat(1000)}\r\n`
    const text = await raw(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk}${chunk}${chunk}`, {
      ends: false,
    })
    expect(text).toMatch(/^HTTP\/1\.1 413 /)
    const statusOf = async (size: number, framing: (body: string) => string) => {
      const body = '{"capability":"fine"}'.padEnd(size)
      return (await raw(`${head}Connection: close\r\n${framing(body)}`, { ends: false })).slice(9, 12)
    }
    const stated = (body: string) => `Content-Length: ${body.length}\r\n\r\n${body}`
    const chunked = (body: string) =>
      `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    for (const framing of [stated, chunked])
      expect([await statusOf(1000, framing), await statusOf(1001, framing)]).toEqual(['201', '413'])
    const open = await api.send('/v1/sign_in', {
      method: 'POST',
      body: { code: 'x'.repeat(1000) },
      token: null,
    })
    expect(open.status).toBe(413)
  })

  it.each([
    ['an open brace', '{', 400],
    ['nothing', '', 400],
    ['a list', '[]', 400],
    ['null', 'null', 400],
    ['a text', '"x"', 400],
    ['100,000 open brackets', '['.repeat(100_000), 400],
    [
      'parameters 5,000 levels deep',
      `{"capability":"fine","params":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`,
      400,
    ],
    ['a prototype beside the capability', '{"capability":"fine","__proto__":{"x":1}}', 400],
    ['a prototype as a parameter', '{"capability":"fine","params":{"__proto__":{"x":1}}}', 201],
    ['half a surrogate pair', '{"capability":"fine","params":{"x":"\\ud800"}}', 201],
    ['a number beyond all numbers', '{"capability":"fine","priority":1e400}', 400],
    ['a time in words', '{"capability":"fine","at":"yesterday"}', 400],
    ['a NUL in the name', '{"capability":"fine\\u0000"}', 422],
  ])('answers a body with %s with the right status', async (_, body, status) => {
    const answer = await api.send('/v1/operations', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    expect(answer.status).toBe(status)
  })

  it('lists fifty of a hundred thousand mistakes, and counts the others', async () => {
    const names = Array.from({ length: 1_000 }, (_, n) => [`name${n}`, 1])
    const entry = { capability: 'fine', ...Object.fromEntries(names) }
    const { status, json } = await api.post('/v1/operations/batch', { operations: Array(100).fill(entry) })
    expect(status).toBe(400)
    expect(json.mistakes).toHaveLength(50)
    expect(json.detail).toContain('(and 99999 more)')
  })

  it('repeats only the beginning of a name of a million letters', async () => {
    const { status, json } = await api.post('/v1/operations', { capability: 'fine', ['x'.repeat(1e6)]: 1 })
    expect(status).toBe(400)
    expect(JSON.stringify(json).length).toBeLessThan(2_000)
  })

  it('accepts only plain JSON', async () => {
    const send = (headers: Record<string, string>) =>
      api.send('/v1/operations', { method: 'POST', body: '{"capability":"fine"}', headers })
    expect((await send({ 'content-type': 'text/plain' })).status).toBe(415)
    expect((await send({ 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(415)
    expect((await send({ 'content-encoding': 'gzip' })).status).toBe(415)
    expect((await send({ 'content-type': 'application/json; charset=utf-8' })).status).toBe(201)
  })

  const paths = [
    '/v1/operations/../../etc/passwd',
    '/v1/operations/%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '/v1/operations/%00',
    '/v1/operations/%ff',
    '/v1//operations',
    '/V1/operations',
    '/v1/operations/',
    '//evil.example/v1/status',
    '/v1/operations/op_1%2Fresult',
    '/v1/providers/%E0%A4%A',
    `/v1/operations/${'x'.repeat(5_000)}`,
  ]
  it.each(paths.map(path => [path.slice(0, 60), path]))('finds nothing under %s', async (_, path) => {
    const text = await raw(`GET ${path} HTTP/1.1\r\n${authorized()}Connection: close\r\n\r\n`)
    expect(text).toMatch(/^HTTP\/1\.1 40[034] /)
  })

  it.each([
    'GET /healthz',
    'GET /healthz HTTP/1.1\r\n\r\n',
    'NONSENSE / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
    'CONNECT evil.example:443 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
    'POST /v1/sign_in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n',
    'POST /v1/sign_in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
    `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`,
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\x16\x03\x01\x00\xa5\x01\x00\x00',
  ])('refuses %j', async bytes => {
    expect(await raw(bytes)).toMatch(/^(HTTP\/1\.1 4\d\d |$)/)
  })

  it.each([
    ['nonsense', 'NONSENSE\r\n\r\n', 400, 'malformed'],
    [
      'a backslash in the path',
      'GET /a\\b HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n',
      400,
      'malformed',
    ],
    ['a space in the host', 'GET / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n', 400, 'malformed'],
    [
      'too large headers',
      `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`,
      431,
      'too_large',
    ],
  ])('answers even %s with a problem', async (_, bytes, status, code) => {
    const text = await raw(bytes, { ends: false })
    const [head = '', body = ''] = text.split('\r\n\r\n')
    expect(head).toMatch(/^content-type: application\/problem\+json$/im)
    expect(head).toMatch(/^x-content-type-options: nosniff$/im)
    expect(JSON.parse(body)).toMatchObject({ status, code })
  })

  it('does not answer into an event stream whose client sends nonsense', async () => {
    const { port, hostname } = new URL(api.url)
    const socket = connect(Number(port), hostname, () => {
      socket.write(`GET /v1/events/stream HTTP/1.1\r\n${authorized()}\r\n`)
    })
    let text = ''
    const ended = new Promise(resolve => socket.on('close', resolve))
    socket.on('error', () => {})
    socket.on('data', chunk => {
      text += chunk
      if (text.includes('retry: 1000')) socket.write('NONSENSE\r\n\r\n')
    })
    await ended
    expect(text).toMatch(/^HTTP\/1\.1 200 /)
    expect(text).not.toContain('problem+json')
  })

  it('ends requests whose headers or body arrive too slowly', async () => {
    await api.close()
    await start('[http]\nrequest_timeout = "1s"\n')
    const head = `POST /v1/operations HTTP/1.1\r\n${authorized()}Content-Type: application/json\r\nContent-Length: 100\r\n`
    const slow = await Promise.all([
      raw('GET /healthz HTTP/1.1\r\nHost: 127', { ends: false }),
      raw(head, { ends: false }),
      raw(`${head}\r\n{"capa`, { ends: false }),
    ])
    expect(slow.map(text => text.split('\r\n', 1)[0])).toEqual([
      'HTTP/1.1 408 Request Timeout',
      'HTTP/1.1 408 Request Timeout',
      expect.stringMatching(/^HTTP\/1\.1 40[08] /),
    ])
  })

  it('limits its connections, and serves again when some are gone', async () => {
    await api.close()
    await start('[http]\nmax_connections = 5\n')
    const { port, hostname } = new URL(api.url)
    const sockets = Array.from({ length: 200 }, () => connect(Number(port), hostname))
    const dropped = sockets.map(
      socket =>
        new Promise<void>(resolve => {
          socket.on('error', () => {})
          socket.on('close', () => resolve())
        }),
    )
    let gone = 0
    for (const each of dropped) void each.then(() => (gone += 1))
    await expect.poll(() => gone).toBeGreaterThanOrEqual(195)
    for (const socket of sockets) socket.destroy()
    await Promise.all(dropped)
    await expect
      .poll(() =>
        api.send('/healthz').then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200)
  })
})

describe('the address', () => {
  it.each(['0.0.0.0', '::', '10.0.0.1'])('refuses %s without TLS unless allowed', async address => {
    const toml = `[http]\naddress = "${address}"\n`
    await expect(TestApi.start({ toml })).rejects.toThrow('set tls_cert and tls_key, or without_tls = true')
  })

  it.skipIf(NO_OPENSSL)('serves only TLS with a certificate, and its cookies go nowhere else', async () => {
    await api.close()
    const folder = mkdtempSync(join(tmpdir(), 'mulligan-tls-'))
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
    execFileSync(
      'openssl',
      [
        ...[
          'req',
          '-x509',
          '-newkey',
          'ec',
          '-pkeyopt',
          'ec_paramgen_curve:prime256v1',
          '-nodes',
          '-days',
          '2',
        ],
        ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'],
        ...['-keyout', key, '-out', cert],
      ],
      { stdio: 'ignore' },
    )
    await start(`[http]\ntls_cert = "${cert}"\ntls_key = "${key}"\nrequest_timeout = "6s"\n`)
    expect(api.url).toMatch(/^https:/)
    const ask = (path: string, body?: string) =>
      new Promise<{ status: number | undefined; cookie: string; text: string }>((resolve, reject) => {
        const headers = { authorization: `Bearer ${api.token}`, 'content-type': 'application/json' }
        const options = { ca: readFileSync(cert), method: body === undefined ? 'GET' : 'POST', headers }
        const sent = request(`${api.url}${path}`, options, answer => {
          let text = ''
          answer.on('data', chunk => {
            text += chunk
          })
          answer.on('end', () =>
            resolve({ status: answer.statusCode, cookie: String(answer.headers['set-cookie']), text }),
          )
        })
        sent.on('error', reject)
        sent.end(body)
      })
    expect(await ask('/v1/status')).toMatchObject({ status: 200 })
    const { cookie } = await ask('/v1/sign_in', JSON.stringify({ code: api.gateway.newCode() }))
    expect(cookie).toMatch(/^__Host-mulligan_browser=.*; Secure$/)
    // A client that never begins its handshake is let go.
    expect(await raw('', { ends: false })).toBe('')
    // A client without TLS gets no answer, and one without the certificate does not trust it.
    expect(await raw('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')).not.toContain('200')
    await expect(fetch(`${api.url}/healthz`)).rejects.toThrow()
    api.send = async () => ({
      status: (await ask('/healthz')).status as number,
      headers: new Headers(),
      json: {},
    })
  })

  it.each([
    ['tls_cert = "cert.pem"', 'needs both tls_cert and tls_key'],
    ['tls_cert = "nowhere.pem"\ntls_key = "nowhere.pem"', 'nowhere.pem cannot be read'],
  ])('names the mistake in %j', async (lines, words) => {
    await expect(TestApi.start({ toml: `[http]\n${lines}\n` })).rejects.toThrow(words)
  })

  it('can listen elsewhere', async () => {
    await api.close()
    await start('[http]\naddress = "0.0.0.0"\nwithout_tls = true\n')
    expect(api.url).toMatch(/^http:\/\/0\.0\.0\.0:\d+$/)
  })
})
