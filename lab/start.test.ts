import { once } from 'node:events'
import { type IncomingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { isRedacted } from '../src/failure/redact.ts'
import { FakeTime } from '../src/testing/core/fake-time.ts'
import { ASKS, type Ask, meet } from '../test/lab/client.ts'
import type { Lab, LabOptions } from './lab.ts'
import { startLab } from './start.ts'

const labs: Lab[] = []
afterEach(() => Promise.all(labs.splice(0).map(lab => lab.close())))

async function lab(options: LabOptions = {}): Promise<Lab> {
  const started = await startLab(options)
  labs.push(started)
  return started
}

const STREAM = ASKS.find(({ name }) => name === 'messages stream') as Ask
const PLAIN = ASKS[0] as Ask
const JSON_HEADERS = { 'content-type': 'application/json' }

/** A request with headers that fetch would not send. */
function raw(
  url: string,
  headers: Record<string, string>,
  method = 'GET',
  body = '',
): Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers }, response => {
      let text = ''
      response.on('data', chunk => {
        text += chunk
      })
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, body: text }),
      )
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

describe('the stand-in', () => {
  it('answers every API, and also lists and counts', async () => {
    const { url } = await lab({ answer: 'forty-two' })
    for (const ask of ASKS) expect((await meet(url, ask)).status).toBe(200)
    const get = async (path: string, headers = {}) => (await fetch(url + path, { headers })).json()
    expect(await get('/v1/models', { 'anthropic-version': '2023-06-01' })).toMatchObject({ has_more: false })
    expect(await get('/v1/models')).toMatchObject({ object: 'list' })
    expect(await get('/v1beta/models')).toMatchObject({ models: [{ name: 'models/gemini-lab-1' }, {}] })
    const count = await fetch(`${url}/v1/messages/count_tokens`, { method: 'POST', body: '{"messages":[]}' })
    expect(await count.json()).toEqual({ input_tokens: 4 })
    expect((await fetch(`${url}/elsewhere`)).status).toBe(404)
  })

  it('answers with what a function returns for the request', async () => {
    const { url } = await lab({ answer: ({ body }) => `you asked ${String(body.model)}` })
    expect((await meet(url, PLAIN)).body).toContain('you asked claude-lab-1')
  })

  it('refuses callers without its token, as the vendor would', async () => {
    const { url } = await lab({ token: 'right' })
    expect((await meet(url, PLAIN)).body).toContain('invalid x-api-key')
    const asked = await fetch(url + PLAIN.path, {
      method: 'POST',
      headers: { 'x-api-key': 'right' },
      body: JSON.stringify(PLAIN.body),
    })
    expect(asked.status).toBe(200)
    expect((await fetch(`${url}/_lab`)).status).toBe(401)
    expect((await fetch(`${url}/_lab?token=right`)).status).toBe(200)
  })

  it('says that a port is taken', async () => {
    const { url } = await lab()
    const port = Number(new URL(url).port)
    await expect(startLab({ port })).rejects.toThrow(`port ${port} is taken`)
  })

  it('refuses an invalid script at the start', async () => {
    await expect(startLab({ script: [{ fault: 'overlaoded' as 'overloaded' }] })).rejects.toThrow(
      'did you mean',
    )
  })

  it("answers with the error when the caller's function throws", async () => {
    const { url } = await lab({
      answer: () => {
        throw new Error('no idea')
      },
    })
    expect(await meet(url, PLAIN)).toMatchObject({ status: 500, body: expect.stringContaining('no idea') })
  })

  it.each(['//', '*', '/%', '/_lab/%', 'http://[/'])('survives a request for %s', async target => {
    const { url } = await lab()
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write(`GET ${target} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n`)
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    expect(chunk.toString()).toMatch(/^HTTP\/1\.1 40[04] /)
    socket.destroy()
    expect((await meet(url, PLAIN)).status).toBe(200)
  })

  it('survives a caller that hangs up during its request', async () => {
    const { url } = await lab()
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    await once(socket, 'connect')
    socket.write('POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"mod', () =>
      socket.destroy(),
    )
    await once(socket, 'close')
    expect((await meet(url, PLAIN)).status).toBe(200)
  })
})

describe('what the lab remembers', () => {
  it('is what was asked and answered, with keys redacted', async () => {
    const running = await lab({ script: [{ after: 1, fault: 'rate_limit' }] })
    const key = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789'
    const send = () =>
      fetch(`${running.url}${PLAIN.path}?key=${key}`, {
        method: 'POST',
        headers: { 'x-api-key': key, authorization: `Bearer ${key}`, cookie: 'a=b' },
        body: JSON.stringify({ ...PLAIN.body, system: `my key is ${key}` }),
      }).then(answer => answer.text())
    await send()
    await send()
    expect(running.requests).toMatchObject([
      { number: 1, vendor: 'anthropic', asked: 'messages', status: 200, sent: 'whole' },
      { number: 2, fault: 'rate_limit', status: 429 },
    ])
    const text = JSON.stringify(running.requests)
    expect(text).not.toContain('abcdefghijklmnopqrstuvwxyz')
    expect(isRedacted(text)).toBe(true)
    expect(await (await fetch(`${running.url}/_lab/requests`)).json()).toMatchObject([
      { number: 1, at: expect.stringMatching(/Z$/), duration_ms: expect.any(Number) },
      { number: 2 },
    ])
  })

  it('is bounded in number and in size', async () => {
    const running = await lab({ keep: 3 })
    const long = { ...PLAIN, body: { ...PLAIN.body, system: 'x'.repeat(100_000) } }
    for (let i = 0; i < 5; i++) await meet(running.url, long)
    expect(running.requests.map(({ number }) => number)).toEqual([3, 4, 5])
    expect(running.requests[0]?.request.body.length).toBeLessThan(17_000)
  })

  it('says how a spoiled answer ended', async () => {
    const running = await lab()
    const told: unknown[] = []
    const stop = running.onRequest(({ fault, status, sent }) => told.push([fault, status, sent]))
    for (const fault of ['reset', 'cut_stream'] as const) {
      running.inject(fault)
      await meet(running.url, STREAM).catch(() => {})
    }
    stop()
    await meet(running.url, STREAM)
    expect(told).toEqual([
      ['reset', undefined, 'reset'],
      ['cut_stream', 200, 'cut'],
    ])
  })
})

describe('faults over HTTP', () => {
  const post = (url: string, path: string, body?: unknown, method = 'POST') =>
    fetch(`${url}/_lab/${path}`, {
      method,
      headers: JSON_HEADERS,
      body: body === undefined ? null : JSON.stringify(body),
    })

  it('are added, shown, cleared and reset while the lab runs', async () => {
    const { url } = await lab({ script: [{ after: 1, fault: 'auth' }] })
    await post(url, 'faults', [{ fault: 'overloaded' }, { after: 1, fault: 'server_error' }])
    expect((await meet(url, PLAIN)).status).toBe(529)
    expect((await meet(url, PLAIN)).status).toBe(500)
    expect((await meet(url, PLAIN)).status).toBe(200)
    await post(url, 'faults', { fault: 'hang', times: 'always' })
    const shown = (await (await fetch(`${url}/_lab/faults`)).json()) as { active: unknown; known: unknown[] }
    expect(shown.active).toEqual([{ fault: 'hang', times: 'always' }])
    expect(shown.known.length).toBeGreaterThan(30)
    await post(url, 'faults', undefined, 'DELETE')
    expect((await meet(url, PLAIN)).status).toBe(200)
    await post(url, 'reset')
    expect(await (await fetch(`${url}/_lab/requests`)).json()).toEqual([])
    expect([(await meet(url, PLAIN)).status, (await meet(url, PLAIN)).status]).toEqual([200, 401])
  })

  it('say what is wrong with a step', async () => {
    const { url } = await lab()
    const answer = await post(url, 'faults', { fault: 'overlaoded' })
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: { message: 'unknown fault "overlaoded"; did you mean "overloaded"?' } },
    ])
    expect((await post(url, 'other')).status).toBe(404)
  })

  it('are refused to pages of other sites and to rebound names', async () => {
    const { url } = await lab()
    const host = new URL(url).host
    const step = '{"fault":"auth","times":"always"}'
    const refused = [
      await raw(`${url}/_lab/faults`, { ...JSON_HEADERS, host: 'evil.example' }, 'POST', step),
      await raw(`${url}/_lab/faults`, { ...JSON_HEADERS, host, origin: 'http://evil.example' }, 'POST', step),
      await raw(`${url}/_lab/requests`, { host: '127.0.0.1.evil.example' }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403])
    expect((await raw(`${url}/_lab/faults`, { 'content-type': 'text/plain' }, 'POST', step)).status).toBe(415)
    expect((await meet(url, PLAIN)).status).toBe(200)
    const own = await raw(`${url}/_lab/faults`, { ...JSON_HEADERS, host, origin: url }, 'POST', step)
    expect(own.status).toBe(200)
  })
})

describe('the page', () => {
  it('shows what was asked, fully escaped', async () => {
    const evil = '<img src=x onerror=alert(1)>"\'&'
    const { url } = await lab({ answer: evil })
    await fetch(`${url}/v1/messages?x=${encodeURIComponent(evil)}&y="><script>alert(1)</script>`, {
      method: 'POST',
      headers: { 'x-evil': evil },
      body: JSON.stringify({ ...PLAIN.body, model: evil }),
    })
    for (const path of ['/_lab', '/_lab/rows']) {
      const page = await (await fetch(url + path)).text()
      expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;')
      expect(page).not.toContain('<img')
      expect(page).not.toContain('<script>alert')
    }
  })

  it('loads nothing from elsewhere and lets no other script run', async () => {
    const { url } = await lab()
    const answer = await fetch(`${url}/_lab`)
    const policy = answer.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('unsafe')
    expect((await answer.text()).match(/(?:src|href)=/g)).toBeNull()
  })

  it('shows the last hundred, and says where the others are', async () => {
    const { url } = await lab()
    for (let i = 0; i < 103; i++) await fetch(`${url}/v1/models`)
    const page = await (await fetch(`${url}/_lab`)).text()
    expect(page.match(/<details /g)).toHaveLength(100)
    expect(page).toContain('3 older ones are at GET /_lab/requests')
  })

  it('sends rows only when something changed', async () => {
    const { url } = await lab()
    const first = await fetch(`${url}/_lab/rows`)
    const version = first.headers.get('x-lab-version')
    expect((await fetch(`${url}/_lab/rows?since=${version}`)).status).toBe(204)
    await meet(url, PLAIN)
    const then = await fetch(`${url}/_lab/rows?since=${version}`)
    expect([then.status, await then.text()]).toEqual([200, expect.stringContaining('id="r1"')])
  })
})

describe('close', () => {
  it('releases hanging callers and stalled or slow streams, and leaves no timer', async () => {
    const time = new FakeTime()
    const running = await startLab({
      time,
      script: [{ fault: 'hang' }, { after: 1, fault: 'stall' }, { after: 2, fault: 'slow_stream' }],
    })
    const asked: Promise<string>[] = []
    for (let i = 0; i < 3; i++) {
      const before = running.version
      asked.push(
        meet(running.url, STREAM).then(
          () => 'answered',
          () => 'dropped',
        ),
      )
      while (running.version === before) await new Promise(resolve => setImmediate(resolve))
    }
    await running.close()
    expect(await Promise.all(asked)).toEqual(['dropped', 'dropped', 'dropped'])
    expect(time.pending).toBe(0)
    await running.close()
    await expect(fetch(running.url)).rejects.toThrow()
  })

  it('uses the given clock: a slow stream ends when it has moved', async () => {
    const time = new FakeTime()
    const running = await lab({ time, slowMs: 60_000, script: 'slow_stream' })
    const answer = meet(running.url, STREAM)
    let done = false
    answer.finally(() => {
      done = true
    })
    while (!done) {
      if (time.pending > 0) await time.advance(60_000)
      else await new Promise(resolve => setImmediate(resolve))
    }
    expect((await answer).body).toContain('message_stop')
  })
})
