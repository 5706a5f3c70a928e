import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Lab, startLab } from '../../../lab/index.ts'
import { anthropicAt, startProxy, TOKEN } from '../../../test/gateway/proxy/proxy.ts'
import { ASKS, type Ask } from '../../../test/lab/client.ts'
import { Health } from '../../provider/health.ts'
import { FakeTime } from '../../testing/core/fake-time.ts'
import { realTime } from '../../time/time.ts'
import { patientSend } from './patient-send.ts'
import type { Upstream } from './upstream.ts'

let lab: Lab
const stops: (() => Promise<unknown>)[] = []
beforeEach(async () => {
  // Answers name the second in which they were made: it must not pass between the two that a test compares.
  const now = Date.UTC(2026, 0, 1)
  lab = await startLab({ answer: 'hello there', time: { ...realTime, now: () => now } })
  stops.push(() => lab.close())
})
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

async function proxyTo(upstreams: readonly Upstream[], more: Parameters<typeof startProxy>[1] = {}) {
  const started = await startProxy(upstreams, more)
  stops.push(() => started.proxy.stop())
  return started
}

const atLab = () =>
  (['anthropic', 'openai', 'gemini'] as const).map(api => ({ ...anthropicAt(lab.url), api, id: api }))

const KEYS: Record<Ask['vendor'], Record<string, string>> = {
  anthropic: { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
  openai: { authorization: 'Bearer k' },
  gemini: { 'x-goog-api-key': 'k' },
}

function ask(
  url: string,
  { vendor, path, body }: Ask,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...KEYS[vendor], ...headers },
    body: JSON.stringify(body),
  })
}

const MESSAGES = ASKS.find(({ api, streams }) => api === 'messages' && !streams) as Ask
const STREAM = ASKS.find(({ api, streams }) => api === 'messages' && streams) as Ask

describe('through the proxy', () => {
  it.each(ASKS.map(each => [each.name, each] as const))(
    '%s comes as it does without',
    async (_name, asked) => {
      const { url } = await proxyTo(atLab())
      const direct = await ask(lab.url, asked)
      const expected = await direct.text()
      // It counts its ids from the start again.
      lab.reset()
      const through = await ask(url, asked)
      expect(through.status).toBe(direct.status)
      expect(through.headers.get('content-type')).toBe(direct.headers.get('content-type'))
      expect(await through.text()).toBe(expected)
    },
  )

  it('every other path passes once, whatever comes back', async () => {
    const { url } = await proxyTo(atLab())
    const [direct, through] = await Promise.all(
      [lab.url, url].map(at => fetch(`${at}/v1/models`, { headers: KEYS.openai })),
    )
    expect(through?.status).toBe(direct?.status)
    expect(await through?.text()).toBe(await direct?.text())
  })

  it('a name before the path says which API is meant', async () => {
    const { url } = await proxyTo(atLab())
    const { status } = await ask(`${url}/anthropic`, MESSAGES)
    expect(status).toBe(200)
  })
})

describe('a question that fails', () => {
  it('is sent again until it is answered, within one request of the client', async () => {
    const { url } = await proxyTo(atLab(), { maxHoldMs: 60_000 })
    lab.inject([{ fault: 'server_error' }, { fault: 'stream_overloaded', after: 1 }])
    const answer = await ask(url, STREAM)
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('hello')
    expect(lab.requests).toHaveLength(3)
  })

  it('goes to the next provider with its own key and its name of the model', async () => {
    const other = await startLab({ answer: 'from the other' })
    stops.push(() => other.close())
    const { url } = await proxyTo([
      anthropicAt(lab.url),
      anthropicAt(other.url, {
        id: 'second',
        key: () => 'its-own',
        modelNames: { 'claude-lab-1': 'claude-other' },
      }),
    ])
    lab.inject('billing')
    const answer = await ask(url, MESSAGES, { 'x-mulligan-token': TOKEN })
    expect(await answer.text()).toContain('from the other')
    const [sent] = other.requests
    expect(sent).toMatchObject({ model: 'claude-other' })
  })

  it('goes to the next provider if the first only redirects, and is told where to if there is none', async () => {
    const moved = createServer((_, answer) =>
      answer.writeHead(308, { location: 'https://new.example/v1' }).end(),
    ).listen(0, '127.0.0.1')
    stops.push(async () => moved.close())
    await once(moved, 'listening')
    const from = `http://127.0.0.1:${(moved.address() as AddressInfo).port}`
    const alone = await proxyTo([anthropicAt(from)])
    const answer = await ask(alone.url, STREAM)
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain(`${from} redirects (308) to https://new.example/v1, which is not`)
    const both = await proxyTo([anthropicAt(from), anthropicAt(lab.url, { id: 'second', key: () => 'k' })])
    const { status } = await ask(both.url, STREAM, { 'x-mulligan-token': TOKEN })
    expect(status).toBe(200)
  })

  it('keeps every byte but the name of its model, which is another there', async () => {
    const sent: unknown[] = []
    const { url } = await proxyTo([anthropicAt(lab.url, { modelNames: { mine: 'theirs' } })], {
      send: async (_, { body }) => {
        sent.push(String(body))
        return Response.json({
          type: 'message',
          content: [{ type: 'text', text: 'hi' }],
          stop_reason: 'end_turn',
        })
      },
    })
    const body = (model: string) =>
      `{ "seed": 12345678901234567890, "model": "${model}",\n"messages": ["\\u00e9"]}`
    await fetch(`${url}/v1/messages`, { method: 'POST', headers: KEYS.anthropic, body: body('mine') })
    expect(sent).toEqual([body('theirs')])
  })

  it('is asked again for as long as an outage lasts, like clients do by themselves', async () => {
    const time = new FakeTime()
    const { url } = await proxyTo(atLab(), { time })
    lab.inject({ fault: 'server_error', times: 25 })
    let isAnswered = false
    const answering = ask(url, MESSAGES).finally(() => {
      isAnswered = true
    })
    while (!isAnswered) await time.advance(5_000)
    expect((await answering).status).toBe(200)
    expect(lab.requests).toHaveLength(26)
  })

  it('goes back to the first provider while the second is down', async () => {
    const time = new FakeTime()
    const { url } = await proxyTo(
      [anthropicAt('http://first.test'), anthropicAt('http://second.test', { id: 'second', key: () => 'k' })],
      {
        time,
        send: async to => {
          asked.push(to.hostname)
          return asked.length > 6 && to.hostname === 'first.test'
            ? Response.json({
                type: 'message',
                content: [{ type: 'text', text: 'hi' }],
                stop_reason: 'end_turn',
              })
            : Response.json(
                { type: 'error', error: { type: 'api_error', message: 'broken' } },
                { status: 500 },
              )
        },
      },
    )
    const asked: string[] = []
    let isAnswered = false
    const answering = ask(url, MESSAGES, { 'x-mulligan-token': TOKEN }).finally(() => {
      isAnswered = true
    })
    while (!isAnswered) await time.advance(5_000)
    expect((await answering).status).toBe(200)
    expect(asked.at(-1)).toBe('first.test')
  })

  it('is told in the words of its vendor, with the word not to try again', async () => {
    const { url } = await proxyTo(atLab())
    lab.inject('invalid_request')
    const answer = await ask(url, MESSAGES)
    expect(answer.status).toBe(400)
    expect(answer.headers.get('x-should-retry')).toBe('false')
    expect(await answer.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } })
    expect(lab.requests).toHaveLength(1)
  })
})

describe('a stream that is cut', () => {
  const CHAT = ASKS.find(({ api, streams }) => api === 'chat' && streams) as Ask
  const cut = async (asked: Ask, fault: 'cut_stream' | 'unfinished_stream') => {
    const { url } = await proxyTo(atLab())
    lab.inject(fault)
    const { body } = await ask(url, asked)
    let text = ''
    let isCut = false
    try {
      for await (const piece of body as ReadableStream<Uint8Array>) text += Buffer.from(piece).toString()
    } catch {
      isCut = true
    }
    expect(lab.requests).toHaveLength(1)
    return { text, isCut }
  }
  const CUTS = ['cut_stream', 'unfinished_stream'] as const

  it.each(CUTS)(
    'after its first words ends with an error of its vendor, and is not sent again: %s',
    async fault => {
      const { text, isCut } = await cut(CHAT, fault)
      expect(isCut).toBe(false)
      expect(text).toContain('"content":"hel')
      expect(text.trimEnd().split('\n\n').at(-1)).toMatch(/^data: \{"error":/)
    },
  )

  it.each(CUTS)('is cut for a client of Anthropic, which then asks again: %s', async fault => {
    const { text, isCut } = await cut(STREAM, fault)
    expect(isCut).toBe(true)
    expect(text).toContain('content_block_delta')
    expect(text).not.toContain('event: error')
  })

  it('ends once if its vendor says itself that it failed', async () => {
    const { url } = await proxyTo(atLab(), { maxHoldMs: 1 })
    lab.inject([{ fault: 'stream_server_error', times: 'always' }])
    const text = await (await ask(url, STREAM)).text()
    expect(text.split('event: error').length - 1).toBeLessThanOrEqual(1)
  })
})

describe('an answer that is slow to begin', () => {
  const start = sse({ type: 'message_start', message: { id: 'm', content: [], usage: { input_tokens: 1 } } })
  const rest =
    sse({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hello' } }) +
    sse({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } }) +
    sse({ type: 'message_stop' })

  it.each([
    ['shows signs of life, once its provider has begun to answer', start, 3],
    ['shows none as long as its provider does not answer', undefined, 0],
  ])('%s', async (_, head, pings) => {
    const time = new FakeTime()
    const { upstream, begun, goOn } = await slowUpstream(head)
    const arrived = Promise.withResolvers<void>()
    const plainSend = await patientSend()
    const send: typeof plainSend = (...given) => plainSend(...given).finally(() => arrived.resolve())
    const { url } = await proxyTo([anthropicAt(upstream)], { time, send })
    const answering = ask(url, STREAM)
    await (head ? arrived.promise : begun)
    await time.advance(45_000)
    goOn((head ? '' : start) + rest)
    const text = await (await answering).text()
    expect(text.match(/event: ping/g) ?? []).toHaveLength(pings)
    expect(text.match(/event: message_start/g)).toHaveLength(1)
    expect(text).toContain('hello')
  })

  it('gives its head after a second, because clients end what has none in time', async () => {
    const time = new FakeTime()
    const { upstream, goOn } = await slowUpstream(start)
    const { url } = await proxyTo([anthropicAt(upstream)], { time })
    let answer: Response | undefined
    const answering = ask(url, STREAM).then(given => {
      answer = given
    })
    while (!answer) await time.advance(1_000)
    await answering
    // It is its own head, not that of a sign of life.
    expect([answer.status, answer.headers.get('request-id')]).toEqual([200, 'req_1'])
    goOn(rest)
    expect(await answer.text()).toContain('hello')
  })

  it('gives no head of a refusal, although it comes as a stream', async () => {
    const time = new FakeTime()
    const words = new TransformStream<Uint8Array, Uint8Array>()
    const answers = [
      () => new Response(words.readable, { status: 529, headers: { 'content-type': 'text/event-stream' } }),
      () => Response.json({ type: 'error', error: { type: 'not_found_error' } }, { status: 404 }),
    ]
    const { url } = await proxyTo([anthropicAt(lab.url)], {
      time,
      send: async () => (answers.shift() as () => Response)(),
    })
    let answer: Response | undefined
    const answering = ask(url, STREAM).then(given => {
      answer = given
    })
    await expect.poll(() => answers.length).toBe(1)
    await time.advance(2_000)
    await words.writable.close()
    while (!answer) await time.advance(100)
    await answering
    expect(answer.status).toBe(404)
  })

  it('gives no head of a stream that has failed', async () => {
    const time = new FakeTime()
    // The next tries come late.
    const options = { health: new Health({ time }), time, random: () => 0.99 }
    const { url } = await proxyTo(atLab(), { time, options })
    lab.inject([
      { fault: 'stream_overloaded', times: 3 },
      { fault: 'invalid_request', after: 3 },
    ])
    let answer: Response | undefined
    const answering = ask(url, STREAM).then(given => {
      answer = given
    })
    while (!answer) await time.advance(20)
    await answering
    expect([answer.status, lab.requests.length]).toEqual([400, 4])
  })
})

const sse = (event: { type: string } & Record<string, unknown>) =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

/** A provider that sends the head of a stream with this, or nothing, and the rest when it is told to. */
async function slowUpstream(head: string | undefined) {
  const begun = Promise.withResolvers<void>()
  let goOn: (rest: string) => void = () => {}
  const server = createServer((request, response) => {
    request.resume()
    const headers = { 'content-type': 'text/event-stream', 'request-id': 'req_1' }
    if (head !== undefined) response.writeHead(200, headers).write(head)
    goOn = rest => void (response.headersSent ? response : response.writeHead(200, headers)).end(rest)
    begun.resolve()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  stops.push(() => new Promise(resolve => server.close(resolve)))
  const { port } = server.address() as AddressInfo
  return { upstream: `http://127.0.0.1:${port}`, begun: begun.promise, goOn: (rest: string) => goOn(rest) }
}

describe('a limit with a stated end', () => {
  it('is waited out with signs of life, and then answered', async () => {
    const time = new FakeTime()
    const { url, holds } = await proxyTo(atLab(), { time })
    lab.inject({ fault: 'rate_limit', waitMs: 300_000 })
    const answering = ask(url, STREAM)
    await expect.poll(() => holds.list()).toHaveLength(1)
    expect(holds.list()).toMatchObject([{ client: 'node', model: 'claude-lab-1', api: 'anthropic' }])
    await time.advance(60_000)
    const answer = await answering
    expect(answer.status).toBe(200)
    await time.advance(300_000)
    const text = await answer.text()
    expect(text.match(/event: ping/g)?.length).toBeGreaterThan(10)
    expect(text).toContain('hello')
    expect(holds.list()).toEqual([])
    expect(lab.requests).toHaveLength(2)
  })

  it('is waited out, and what is refused then is told in the stream that has begun', async () => {
    const time = new FakeTime()
    const { url, holds } = await proxyTo(atLab(), { time })
    lab.inject([
      { fault: 'rate_limit', waitMs: 30_000 },
      { fault: 'invalid_request', after: 1 },
    ])
    const answering = ask(url, STREAM)
    await expect.poll(() => holds.list()).toHaveLength(1)
    await time.advance(20_000)
    const reading = (await answering).text()
    await time.advance(30_000)
    expect(await reading).toMatch(/event: error\ndata: .*invalid_request_error.*\n\n$/)
  })

  it('is waited out although the clock is set forward', async () => {
    const time = new FakeTime()
    const { url } = await proxyTo(atLab(), { time, maxHoldMs: 600_000 })
    lab.inject({ fault: 'rate_limit', waitMs: 2_000, times: 3 })
    let isAnswered = false
    const answering = ask(url, MESSAGES).finally(() => {
      isAnswered = true
    })
    while (!isAnswered) {
      await time.advance(1_000)
      if (lab.requests.length === 2) time.jump(3_600_000)
    }
    expect((await answering).status).toBe(200)
  })

  it.each([
    ['a wait longer than the client has patience for is left to it', 8],
    ['one that grows longer is ended before the client gives up', 1],
  ])('%s', async (_, waitS) => {
    const time = new FakeTime()
    const { url } = await proxyTo(atLab(), { time })
    lab.inject({ fault: 'rate_limit', waitMs: waitS * 1_000, times: 'always' })
    let answer: Response | undefined
    const answering = ask(url, MESSAGES, { 'x-stainless-timeout': '3' }).then(given => {
      answer = given
    })
    while (!answer) await time.advance(100)
    await answering
    expect([answer.status, answer.headers.get('x-should-retry')]).toEqual([429, null])
    expect(answer.headers.get('retry-after')).toBe(String(waitS))
  })

  it('is left to a client that gave up on it and asks again, and to no other', async () => {
    const time = new FakeTime()
    const { url, holds } = await proxyTo(atLab(), { time })
    lab.inject({ fault: 'rate_limit', waitMs: 40_000, times: 'always' })
    const gone = new AbortController()
    const first = fetch(url + MESSAGES.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...KEYS.anthropic },
      body: JSON.stringify(MESSAGES.body),
      signal: gone.signal,
    }).catch(() => 'gave up')
    await expect.poll(() => holds.list()).toHaveLength(1)
    await time.advance(3_000)
    gone.abort()
    expect(await first).toBe('gave up')
    await expect.poll(() => holds.list()).toHaveLength(0)
    const again = await ask(url, MESSAGES, { 'x-stainless-retry-count': '1' })
    expect([again.status, again.headers.get('x-should-retry')]).toEqual([429, null])
    expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(30)
    const other = ask(url, MESSAGES, { 'x-stainless-retry-count': '1', 'user-agent': 'another/1.0' })
    await expect.poll(() => holds.list()).toHaveLength(1)
    holds.close('the test ends')
    await (await other).text()
  })

  it('shows signs of life before the client of a stream gives up', async () => {
    const time = new FakeTime()
    const { url } = await proxyTo(atLab(), { time })
    lab.inject({ fault: 'rate_limit', waitMs: 8_000 })
    let answer: Response | undefined
    const answering = ask(url, STREAM, { 'x-stainless-timeout': '3' }).then(given => {
      answer = given
    })
    while (!answer) await time.advance(100)
    await answering
    const text = answer.text()
    await time.advance(10_000)
    expect(await text).toMatch(/^event: ping\n.*hello/s)
  })

  it('is not told of at every moment to a client that says it bears no silence', async () => {
    const time = new FakeTime()
    const { url, holds } = await proxyTo(atLab(), { time })
    lab.inject({ fault: 'rate_limit', waitMs: 60_000 })
    const answering = ask(url, STREAM, { 'x-stainless-timeout': '0' })
    await expect.poll(() => holds.list()).toHaveLength(1)
    await time.advance(60_000)
    const text = await (await answering).text()
    expect(text.match(/event: ping/g)?.length).toBeLessThan(6)
  })

  it('that is refused for good is not left to an impatient client', async () => {
    const { url } = await proxyTo(atLab())
    lab.inject({ fault: 'invalid_request' })
    const answer = await ask(url, MESSAGES, { 'x-stainless-timeout': '3' })
    expect([answer.status, answer.headers.get('x-should-retry')]).toEqual([400, 'false'])
  })

  it('that is met more often than one round may try is waited out all the same', async () => {
    const time = new FakeTime()
    const { url } = await proxyTo(atLab(), { time })
    lab.inject({ fault: 'rate_limit', waitMs: 2_000, times: 20 })
    let isAnswered = false
    const answering = ask(url, MESSAGES).finally(() => {
      isAnswered = true
    })
    while (!isAnswered) await time.advance(5_000)
    expect((await answering).status).toBe(200)
    expect(lab.requests).toHaveLength(21)
  })

  it('is refused at once if it ends too late', async () => {
    const { url } = await proxyTo(atLab(), { maxHoldMs: 1_000 })
    lab.inject({ fault: 'rate_limit', waitMs: 300_000 })
    const answer = await ask(url, STREAM)
    expect(answer.status).toBe(429)
    expect(answer.headers.get('x-should-retry')).toBe('false')
  })

  it('hours away is waited out by Claude Code, and refused to programs', async () => {
    const time = new FakeTime()
    const { url, holds } = await proxyTo(atLab(), { time })
    lab.inject({ fault: 'rate_limit', waitMs: 5 * 3_600_000 })
    const claude = ask(url, STREAM, { 'user-agent': 'claude-cli/2.1.326 (external, cli)' })
    await expect.poll(() => holds.list()).toHaveLength(1)
    expect((await ask(url, STREAM)).status).toBe(429)
    await time.advance(5 * 3_600_000)
    expect(await (await claude).text()).toContain('hello')
  })

  it('hours away is waited out twice, because the time that was waited is not that of the second', async () => {
    const time = new FakeTime()
    const { url } = await proxyTo(atLab(), { time })
    lab.inject({ fault: 'rate_limit', waitMs: 2 * 3_600_000, times: 2 })
    let told: string | undefined
    void ask(url, STREAM, { 'user-agent': 'claude-cli/2.1.326' })
      .then(answer => answer.text())
      .then(text => {
        told = text
      })
    while (told === undefined) await time.advance(30_000)
    expect(told).toContain('hello')
  })

  it('does not let an outage that follows last for hours', async () => {
    const time = new FakeTime()
    const { url, holds } = await proxyTo(atLab(), { time })
    lab.inject([
      { fault: 'rate_limit', waitMs: 3_600_000 },
      { fault: 'server_error', after: 1, times: 'always' },
    ])
    let told: string | undefined
    void ask(url, STREAM, { 'user-agent': 'claude-cli/2.1.326' })
      .then(answer => answer.text())
      .then(text => {
        told = text
      })
    await expect.poll(() => holds.list()).toHaveLength(1)
    const start = time.now()
    while (told === undefined) await time.advance(30_000)
    expect(told).toContain('event: error')
    expect(time.now() - start).toBeLessThan(3_600_000 + 20 * 60_000)
  })

  it('is refused by a person, and told in the stream that has begun', async () => {
    const time = new FakeTime()
    const { url, holds } = await proxyTo(atLab(), { time })
    lab.inject({ fault: 'rate_limit', waitMs: 300_000 })
    const answering = ask(url, STREAM)
    await expect.poll(() => holds.list()).toHaveLength(1)
    await time.advance(20_000)
    const answer = await answering
    const [held] = holds.list()
    const refused = await fetch(`${url}/mulligan/holds/${held?.id}/refuse`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}` },
    })
    expect(refused.status).toBe(200)
    expect(await answer.text()).toMatch(/event: error\ndata: .*rate_limit_error/)
  })

  it('is told what it waited for when it is refused, also if its provider was never asked', async () => {
    const { url, holds } = await proxyTo(atLab(), { time: new FakeTime() })
    lab.inject({ fault: 'rate_limit', waitMs: 300_000 })
    const asked = [ask(url, MESSAGES)]
    await expect.poll(() => holds.list()).toHaveLength(1)
    asked.push(ask(url, MESSAGES))
    await expect.poll(() => holds.list()).toHaveLength(2)
    for (const { id } of holds.list()) holds.refuse(id, 'refused by a person')
    const [first, second] = await Promise.all(asked)
    expect([first?.status, second?.status]).toEqual([429, 429])
    expect(await second?.json()).toMatchObject({
      error: {
        type: 'rate_limit_error',
        message: expect.stringMatching(/no provider can serve it until .*\(refused by a person\)$/),
      },
    })
    expect(lab.requests).toHaveLength(1)
  })

  it('is refused at once if the proxy stops, even where it is met only then', async () => {
    const asked = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<Response>()
    const send = () => {
      asked.resolve()
      return answer.promise
    }
    const { url, proxy } = await proxyTo(atLab(), { send })
    const answering = ask(url, MESSAGES)
    await asked.promise
    const stopping = proxy.stop()
    answer.resolve(Response.json({ error: {} }, { status: 429, headers: { 'retry-after': '60' } }))
    const told = await answering
    expect(told.status).toBe(429)
    // The next proxy may answer, as the provider would.
    expect(told.headers.has('x-should-retry')).toBe(false)
    await stopping
  })

  it('keeps nobody from looking who has no token', async () => {
    const { url } = await proxyTo(atLab())
    expect((await fetch(`${url}/mulligan/holds`)).status).toBe(401)
  })
})

describe('an answer that the vendor keeps', () => {
  const KEPT = ASKS.find(({ api, streams }) => api === 'responses' && !streams) as Ask

  it('is not asked for again once it may have been made, and the client may decide', async () => {
    const { url } = await proxyTo(atLab())
    lab.inject('server_error')
    const answer = await ask(url, KEPT)
    expect(answer.status).toBe(500)
    expect(answer.headers.has('x-should-retry')).toBe(false)
    expect(lab.requests).toHaveLength(1)
  })

  it('that may be lost is told about in words of the proxy, not of the library', async () => {
    const send = () => Promise.reject(new Error('other side closed'))
    const { url } = await proxyTo(atLab(), { send })
    const answer = await ask(url, KEPT)
    expect(answer.headers.has('x-should-retry')).toBe(false)
    const { error } = (await answer.json()) as { error: { message: string } }
    expect(error.message).toContain('"store": false')
    expect(error.message).not.toContain('retry:')
  })

  it('is asked for again if it was refused', async () => {
    const { url } = await proxyTo(atLab())
    lab.inject({ fault: 'rate_limit', waitMs: 1 })
    expect((await ask(url, KEPT)).status).toBe(200)
    expect(lab.requests).toHaveLength(2)
  })
})

describe('keys', () => {
  it('of the config are for callers with the token alone', async () => {
    const { url } = await proxyTo([anthropicAt(lab.url, { key: () => 'secret-key' })])
    const without = await ask(url, MESSAGES)
    expect(without.status).toBe(401)
    expect(await without.text()).toContain('mulligan proxy env')
    const withToken = await ask(url, MESSAGES, { 'x-api-key': TOKEN })
    expect(withToken.status).toBe(200)
    expect(lab.requests).toHaveLength(1)
  })

  it('never go to a vendor if they are tokens of the daemon, wherever they are', async () => {
    const { url } = await proxyTo([anthropicAt(lab.url)])
    const token = `mlg_${'t'.repeat(43)}`
    const places = [
      { 'x-api-key': token },
      { authorization: `Bearer ${token}` },
      // A header that came twice is one list.
      { 'x-api-key': `k,${token}` },
    ]
    for (const headers of places) {
      const answer = await ask(url, MESSAGES, headers)
      expect(answer.status).toBe(401)
      expect(await answer.text()).toContain('proxy.token')
    }
    expect((await fetch(`${url}/v1/files?key=${token}`)).status).toBe(401)
    expect(lab.requests).toEqual([])
  })

  it('of two callers at one provider have limits of their own', async () => {
    const { url, health } = await proxyTo([anthropicAt(lab.url)], { maxHoldMs: 1 })
    lab.inject('rate_limit')
    expect((await ask(url, MESSAGES, { 'x-api-key': 'a' })).status).toBe(429)
    expect((await ask(url, MESSAGES, { 'x-api-key': 'b' })).status).toBe(200)
    const names = (await health.status()).map(({ id }) => id)
    expect(names).toHaveLength(2)
    expect(names.join()).not.toContain('a,')
  })
})

it('a wrong key is asked about each time, without a wait', async () => {
  const time = new FakeTime()
  const { url } = await proxyTo([anthropicAt(lab.url)], { time })
  lab.inject({ fault: 'auth', times: 4 })
  const statuses = []
  for (let n = 0; n < 5; n++) statuses.push((await ask(url, MESSAGES)).status)
  expect(statuses).toEqual([401, 401, 401, 401, 200])
})

describe('an unpaid bill', () => {
  it('is asked about as without us, and an answer ends the block for all', async () => {
    const { url, health } = await proxyTo([anthropicAt(lab.url, { cli: 'claude' })])
    const byClaude = { 'user-agent': 'claude-cli/2.1.325' }
    lab.inject([
      { fault: 'billing', times: 2 },
      { fault: 'server_error', after: 2 },
    ])
    const statuses = []
    for (let n = 0; n < 3; n++) statuses.push((await ask(url, MESSAGES, byClaude)).status)
    expect(statuses).toEqual([402, 402, 200])
    expect(await health.status()).toMatchObject([{ id: 'first', admits: true }])
  })
})

describe('a blocked account that is asked anyway', () => {
  const json = (status: number, body: object) => Response.json(body, { status })
  const unpaid = () => json(402, { type: 'error', error: { type: 'billing_error', message: 'pay' } })
  const answering = (answers: (() => Response)[]) => {
    const send = async () => (answers.shift() as () => Response)()
    return proxyTo([{ ...anthropicAt(lab.url), api: 'openai' }], { send })
  }
  const KEPT = ASKS.find(({ api, streams }) => api === 'responses' && !streams) as Ask

  it('is told in the words of its vendor if nobody is reached', async () => {
    const broken = () => {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code: 'ECONNREFUSED' }) })
    }
    const { url, errors } = await answering([unpaid, broken])
    expect((await ask(url, KEPT)).status).toBe(402)
    const refused = await ask(url, KEPT)
    expect(refused.status).toBe(502)
    expect(await refused.json()).toMatchObject({
      error: { type: 'server_error', message: expect.stringContaining('cannot reach the provider') },
    })
    expect(errors).toEqual([])
  })

  it('is not asked twice for what it may have made', async () => {
    const answers = [unpaid, () => json(500, { error: { message: 'broken' } }), unpaid]
    const { url } = await answering(answers)
    expect((await ask(url, KEPT)).status).toBe(402)
    expect((await ask(url, KEPT)).status).toBe(500)
    expect(answers).toHaveLength(1)
  })
})

describe('what is asked', () => {
  const sentTo = async () => {
    const sent: string[] = []
    const send = async (to: URL) => {
      sent.push(to.href)
      return new Response(null, { status: 204 })
    }
    const { url } = await proxyTo([anthropicAt('https://up.example/team')], { send })
    return { url, sent }
  }
  const statusOf = async (at: string, path: string) => {
    const { hostname, port } = new URL(at)
    const { get } = await import('node:http')
    return new Promise<number | undefined>((resolve, reject) => {
      get({ hostname, port, path }, answer => resolve(answer.resume().statusCode)).on('error', reject)
    })
  }

  it.each([
    ['/anthropic/api/a/v1/b?i=1&i=2&x=a%20b&flag', '/api/a/v1/b?i=1&i=2&x=a%20b&flag'],
    ['/anthropic//evil.example/x', '//evil.example/x'],
    [`/anthropic//up.example/v1/x?key=${TOKEN}&a=1`, '//up.example/v1/x?a=1'],
    ['/anthropic/v1/../../x', '/x'],
  ])('%s goes on as it is, below the base URL', async (path, expected) => {
    const { url, sent } = await sentTo()
    expect(await statusOf(url, path)).toBe(204)
    expect(sent).toEqual([`https://up.example/team${expected}`])
  })

  it.each(['http://evil.example/v1/x', '*'])('%s is refused, because it is no path', async target => {
    const { url, sent } = await sentTo()
    expect(await statusOf(url, target)).toBe(400)
    expect(sent).toEqual([])
  })
})

it('a question that never arrives is refused in words of the proxy', async () => {
  const { url } = await proxyTo([anthropicAt(lab.url)], { requestTimeoutMs: 300 })
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write('POST /v1/messages HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 10\r\n\r\n{')
  let text = ''
  for await (const chunk of socket) text += chunk
  expect(text).toMatch(/^HTTP\/1\.1 408 /)
  expect(text).toContain('the proxy waits 0.3 s for a question')
  expect(text).not.toContain('[http]')
})

it('a request that cannot be answered nor logged ends alone', async () => {
  const fails = () => {
    throw new Error('disk full')
  }
  const { url } = await proxyTo(atLab(), { send: async () => fails(), onError: fails })
  expect((await fetch(`${url}/v1/models`)).status).toBe(502)
  expect((await fetch(`${url}/v1/models`)).status).toBe(502)
})

it('a question that is too large is refused in words of its vendor, however long it goes on', async () => {
  const { url } = await proxyTo(atLab(), { maxBodyBytes: 1_000 })
  const answer = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: KEYS.anthropic,
    body: JSON.stringify({ ...MESSAGES, system: 'x'.repeat(3_000_000) }),
  })
  expect(answer.status).toBe(413)
  expect(await answer.json()).toMatchObject({
    error: { message: expect.stringContaining('max_body_bytes') },
  })
})

describe('a stranger', () => {
  it.each([
    ['a page', { origin: 'https://evil.example' }],
    ['a page that hides its origin', { 'sec-fetch-site': 'cross-site' }],
    ['another host name', { host: 'evil.example' }],
  ])('is refused: %s', async (_who, headers) => {
    const { url } = await proxyTo(atLab())
    const { hostname, port } = new URL(url)
    const { request } = await import('node:http')
    const status = await new Promise<number | undefined>((resolve, reject) => {
      request({ hostname, port, method: 'POST', path: '/v1/messages', headers }, answer => {
        answer.resume()
        resolve(answer.statusCode)
      })
        .on('error', reject)
        .end('{}')
    })
    expect(status).toBe(403)
    expect(lab.requests).toHaveLength(0)
  })
})
