import { describe, expect, it } from 'vitest'
import { isCallFailed } from '../../call/call-failed.ts'
import { Health } from '../../provider/health.ts'
import { FakeTime } from '../../testing/core/fake-time.ts'
import { type ResilientFetchOptions, resilientFetch } from './resilient-fetch.ts'

const SSE = { 'content-type': 'text/event-stream' }
const event = (data: object) => new TextEncoder().encode(`data: ${JSON.stringify(data)}\n\n`)
const chunk = (delta: object, finish_reason: string | null = null) =>
  event({ object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })

/** A question to a vendor that answers so. @param patienceS how long the client says that it waits, in seconds */
function asking(answers: (() => Response)[], options: ResilientFetchOptions = {}, patienceS?: number) {
  const time = new FakeTime()
  const asked: RequestInit[] = []
  const fetch = resilientFetch({
    time,
    health: new Health({ time }),
    random: () => 0,
    fetch: async (_, init = {}) => {
      asked.push(init)
      return (answers[asked.length - 1] as () => Response)()
    },
    ...options,
  })
  const controller = new AbortController()
  const response = fetch('https://a.test/v1/chat/completions', {
    method: 'POST',
    ...(patienceS === undefined ? {} : { headers: { 'x-stainless-timeout': String(patienceS) } }),
    body: '{"model":"m","stream":true}',
    signal: controller.signal,
  })
  return { response, time, asked, controller }
}

/** A stream that begins with its frame, and goes on when it is told to. */
function begun() {
  let source!: ReadableStreamDefaultController<Uint8Array>
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      source = controller
    },
  })
  source.enqueue(chunk({ role: 'assistant', content: '' }))
  return { source, answer: () => new Response(body, { headers: SSE }) }
}

describe('an answer that is slow to begin', () => {
  it('gives its head before clients give up, and then all of it once', async () => {
    const { source, answer } = begun()
    const { response, time, asked } = asking([answer])
    await time.advance(1_000)
    const { status, headers, body } = await response
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    source.enqueue(chunk({ content: 'forty-two' }))
    source.enqueue(chunk({}, 'stop'))
    source.close()
    const text = await time.until(new Response(body).text())
    expect(text.match(/forty-two|assistant|stop/g)).toEqual(['assistant', 'forty-two', 'stop'])
    expect(asked).toHaveLength(1)
  })

  it('is that of another try if the one fails whose head was given', async () => {
    const slow = begun()
    const good = begun()
    const { response, time, asked } = asking([slow.answer, good.answer])
    await time.advance(1_000)
    const text = new Response((await response).body).text()
    slow.source.enqueue(event({ error: { type: 'server_error', message: 'try again', code: 500 } }))
    good.source.enqueue(chunk({ content: 'forty-two' }, 'stop'))
    good.source.close()
    expect(await time.until(text)).toContain('forty-two')
    expect(asked).toHaveLength(2)
  })

  it('says where it is read why it failed', async () => {
    const slow = begun()
    const { response, time } = asking([slow.answer], { maxRetries: 0 })
    await time.advance(1_000)
    const { body } = await response
    slow.source.error(new TypeError('terminated'))
    const error = await time.until(new Response(body).text().catch(error => error))
    expect(isCallFailed(error) && error.failure.class).toBe('transient')
  })

  it('is ended if the client leaves after its head', async () => {
    const { answer } = begun()
    const { response, time, asked, controller } = asking([answer])
    await time.advance(1_000)
    const { body } = await response
    const left = new Error('enough')
    controller.abort(left)
    expect(await time.until(new Response(body).text().catch(error => error))).toBe(left)
    expect(asked[0]?.signal?.aborted).toBe(true)
  })

  it('is ended if the client wants no more after its head, and asked of nobody else', async () => {
    const { answer } = begun()
    const { response, time, asked } = asking([answer], { providers: [{}, { baseURL: 'https://b.test' }] })
    await time.advance(1_000)
    await (await response).body?.cancel()
    await time.advance(60_000)
    expect(asked.map(({ signal }) => signal?.aborted)).toEqual([true])
  })

  it('gives the head that has come, although the one asked beside it has none', async () => {
    const { answer } = begun()
    const never = () => new Promise<Response>(() => {}) as never
    const providers = [{}, { baseURL: 'https://b.test' }]
    const { response, time, asked } = asking([answer, never], { providers, hedge: 500 })
    await time.advance(1_000)
    expect((await response).status).toBe(200)
    expect(asked).toHaveLength(2)
  })

  it('gives no head of a try that has failed', async () => {
    const { answer } = begun()
    const late = Promise.withResolvers<Response>()
    const { response, time, asked } = asking([answer, () => late.promise as never], { firstChunkMs: 700 })
    await time.advance(1_000)
    expect(asked).toHaveLength(2)
    late.resolve(Response.json({ error: { message: 'no such model' } }, { status: 400 }))
    expect((await time.until(response)).status).toBe(400)
  })

  it('gives no head of a refusal, however late it comes', async () => {
    const late = Promise.withResolvers<Response>()
    const { source, answer } = begun()
    const { response, time } = asking([() => late.promise as never, answer])
    await time.advance(1_500)
    late.resolve(new Response('overloaded', { status: 503 }))
    source.enqueue(chunk({ content: 'forty-two' }, 'stop'))
    source.close()
    const { status, body } = await time.until(response)
    expect([status, await new Response(body).text()]).toEqual([200, expect.stringContaining('forty-two')])
  })

  it('gives a head at once that comes late', async () => {
    const late = Promise.withResolvers<Response>()
    const { response, time } = asking([() => late.promise as never])
    let given: Response | undefined
    void response.then(answer => {
      given = answer
    })
    await time.advance(1_500)
    late.resolve(begun().answer())
    await time.advance(1)
    expect(given?.status).toBe(200)
  })

  it('leaves no timer behind', async () => {
    const { source, answer } = begun()
    const { response, time } = asking([answer])
    source.enqueue(chunk({ content: 'forty-two' }, 'stop'))
    source.close()
    expect(await time.until(new Response((await response).body).text())).toContain('forty-two')
    expect(time.pending).toBe(0)
  })
})

describe('a client that says how long it waits', () => {
  it('waits itself for a limit that lifts later, because it would give up', async () => {
    const refused = () =>
      Response.json({ error: { message: 'slow down' } }, { status: 429, headers: { 'retry-after': '8' } })
    const { response, time, asked } = asking([refused], {}, 2)
    const { status, headers } = await time.until(response, 1_999)
    expect([status, headers.get('retry-after'), headers.has('x-should-retry')]).toEqual([429, '8', false])
    expect(asked).toHaveLength(1)
  })

  it('has its head sooner if it waits for less than a second', async () => {
    const { answer } = begun()
    const { response, time } = asking([answer], {}, 0)
    await time.advance(1)
    expect((await response).status).toBe(200)
  })

  it('does not wait for a limit that the caller says is too long a wait', async () => {
    const refused = () =>
      Response.json({ error: { message: 'slow down' } }, { status: 429, headers: { 'retry-after': '8' } })
    const { response, time } = asking([refused], { longestWaitMs: 1_000 }, 2)
    expect((await time.until(response)).headers.get('x-should-retry')).toBe('false')
  })
})

describe('a client that does not say how long it waits', () => {
  const refused = (waitS: number) => () =>
    Response.json(
      { error: { message: 'slow down' } },
      { status: 429, headers: { 'retry-after': String(waitS) } },
    )

  /** Asks, and gives up after three seconds. Then it asks again. */
  async function askingAgain(later: { ms: number; askedBefore?: string }) {
    const time = new FakeTime()
    const fetch = resilientFetch({ time, health: new Health({ time }), fetch: async () => refused(40)() })
    const ask = (headers: Record<string, string>, signal?: AbortSignal) =>
      fetch('https://a.test/v1/chat/completions', {
        method: 'POST',
        headers,
        body: '{"model":"m"}',
        ...(signal ? { signal } : {}),
      })
    const gone = new AbortController()
    const first = ask({ 'x-stainless-retry-count': '0' }, gone.signal).catch(() => 'gave up')
    await time.advance(3_000)
    gone.abort()
    expect(await time.until(first)).toBe('gave up')
    await time.advance(later.ms)
    let answer: Response | undefined
    void ask({ 'x-stainless-retry-count': later.askedBefore ?? '1' }).then(given => {
      answer = given
    })
    await time.advance(100)
    return answer
  }

  it('waits itself once it gave up and asks again, because it would give up each time', async () => {
    const { status, headers } = (await askingAgain({ ms: 500 })) as Response
    expect([status, headers.get('x-should-retry')]).toEqual([429, null])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(30)
  })

  it.each([
    ['another question than the one that was given up', { ms: 500, askedBefore: '0' }],
    ['a question asked again long after its user ended one', { ms: 11_000 }],
  ])('does not wait itself for %s', async (_, later) => {
    expect(await askingAgain(later)).toBe(undefined)
  })
})
