import { afterEach, describe, expect, it } from 'vitest'
import { startLab } from '../../../lab/index.ts'
import { isCallFailed } from '../../call/call-failed.ts'
import { Health } from '../../provider/health.ts'
import { type ResilientFetchOptions, resilientFetch } from './resilient-fetch.ts'

type LabOptions = NonNullable<Parameters<typeof startLab>[0]>
const opened: { close(): Promise<unknown> }[] = []
afterEach(() => Promise.all(opened.splice(0).map(lab => lab.close())))

async function lab(options: LabOptions = {}) {
  const started = await startLab(options)
  opened.push(started)
  return started
}

const quick = (options: ResilientFetchOptions = {}) => ({ health: new Health(), random: () => 0, ...options })
const ask = (fetch: typeof globalThis.fetch, base: string, stream = false, init: RequestInit = {}) =>
  fetch(`${base}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': 'mine', 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'claude-lab-1',
      max_tokens: 64,
      messages: [{ role: 'user', content: 'hi' }],
      stream,
    }),
    ...init,
  })

describe('resilientFetch', () => {
  it('retries where the client points, without a list', async () => {
    const vendor = await lab({ script: [{ fault: 'overloaded' }, { after: 1, fault: 'reset' }] })
    const response = await ask(resilientFetch(quick()), vendor.url)
    expect(response.status).toBe(200)
    expect(response.headers.get('x-mulligan-attempts')).toBe('3')
    expect(vendor.requests).toHaveLength(3)
  })

  it.each([new DOMException('This operation was aborted', 'AbortError'), new Error('enough')])(
    'rejects with the reason of the client that leaves while it reads: %s',
    async reason => {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
      const chunk = { object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'hello' } }] }
      void writable.getWriter().write(new TextEncoder().encode(`data: ${JSON.stringify(chunk)}\n\n`))
      const headers = { 'content-type': 'text/event-stream' }
      const fetch = resilientFetch(quick({ fetch: async () => new Response(readable, { headers }) }))
      const controller = new AbortController()
      const { body } = await ask(fetch, 'https://a.test', true, { signal: controller.signal })
      const reader = (body as ReadableStream<Uint8Array>).getReader()
      expect((await reader.read()).done).toBe(false)
      const reading = reader.read().catch(error => error)
      controller.abort(reason)
      expect(await reading).toBe(reason)
    },
  )

  it('goes to the next endpoint with its own key and model', async () => {
    const [bad, good] = [await lab({ script: [{ fault: 'billing', times: 'always' }] }), await lab()]
    const seen: Request[] = []
    const fetch = resilientFetch(
      quick({
        providers: [{}, { baseURL: good.url, apiKey: 'yours', model: 'claude-lab-2', id: 'second' }],
        fetch: (input, init) => {
          seen.push(new Request(input, init))
          return globalThis.fetch(input, init)
        },
      }),
    )
    const response = await ask(fetch, bad.url)
    expect(response.headers.get('x-mulligan-provider')).toBe('second')
    expect(seen.map(({ headers }) => headers.get('x-api-key'))).toEqual(['mine', 'yours'])
    expect(good.requests[0]?.model).toBe('claude-lab-2')
  })

  it.each(['overloaded', 'server_error'] as const)(
    'moves on if a stream fails with %s before its first content',
    async fault => {
      const [bad, good] = [
        await lab({ script: [{ fault, inStream: true, times: 'always' }] }),
        await lab({ answer: 'forty-two' }),
      ]
      const fetch = resilientFetch(
        quick({ providers: [{}, { baseURL: good.url, apiKey: 'k' }], maxRetries: 0 }),
      )
      const text = await (await ask(fetch, bad.url, true)).text()
      expect(text.match(/message_start/g)?.length).toBe(2) // the event's name and its type, once
      expect(text).toContain('forty-two')
    },
  )

  it('gives the client the answer of the vendor, and asks it not to retry', async () => {
    const vendor = await lab({ script: [{ fault: 'server_error', times: 'always' }] })
    const response = await ask(resilientFetch(quick()), vendor.url)
    expect(response.status).toBe(500)
    expect(response.headers.get('x-should-retry')).toBe('false')
    expect(response.headers.get('x-mulligan-failure')).toBe('transient/server_error')
    expect(((await response.json()) as { error: unknown }).error).toBeDefined()
    expect(vendor.requests).toHaveLength(3)
  })

  it('answers for a vendor that did not, because clients retry what fetch throws', async () => {
    const { url } = await lab({ script: [{ fault: 'reset', times: 'always' }] })
    const response = await ask(resilientFetch(quick()), url)
    expect(response.status).toBe(503)
    expect(response.headers.get('x-should-retry')).toBe('false')
    expect(((await response.json()) as { error: { message: string } }).error.message).toContain('transient/')
  })

  it('throws what it knows at the AI SDK, which ignores the header', async () => {
    const { url } = await lab({ script: [{ fault: 'server_error', times: 'always' }] })
    const headers = { 'user-agent': 'ai/7.0.170 ai-sdk-provider-utils/5.0.79 node.js/24' }
    const error = await ask(resilientFetch(quick({ maxRetries: 0 })), url, false, { headers }).catch(
      error => error,
    )
    expect(isCallFailed(error) && error.failure.kind).toBe('server_error')
  })

  it('ends with the reason of the abort, as fetch does', async () => {
    const { url } = await lab()
    const controller = new AbortController()
    controller.abort(new Error('enough'))
    await expect(ask(resilientFetch(quick()), url, false, { signal: controller.signal })).rejects.toThrow(
      'enough',
    )
  })

  it.each(['output_limit', 'refusal'] as const)('delivers a complete answer with %s', async fault => {
    const vendor = await lab({ script: [{ fault, times: 'always' }] })
    expect((await ask(resilientFetch(quick()), vendor.url)).status).toBe(200)
    expect(vendor.requests).toHaveLength(1)
  })

  it('hands out an answer that came in several pieces as it came', async () => {
    const pieces = [
      '{"model":"m","usage":{"input_tokens":1},',
      '"content":[{"type":"text",',
      '"text":"hi"}]}',
    ]
    const body = () => ReadableStream.from(pieces.map(piece => new TextEncoder().encode(piece)))
    const headers = { 'content-type': 'application/json' }
    const fetch = resilientFetch(quick({ fetch: async () => new Response(body(), { headers }) }))
    expect(await (await ask(fetch, 'https://a.test')).text()).toBe(pieces.join(''))
  })

  it('leaves requests alone that ask no model', async () => {
    const { url } = await lab()
    const asked: unknown[] = []
    const fetch = resilientFetch({
      fetch: async (...given) => {
        asked.push(given)
        return new Response(null, { status: 500 })
      },
    })
    const init = { method: 'POST', body: 'x' }
    expect((await fetch(`${url}/v1/files`, init)).headers.has('x-should-retry')).toBe(false)
    expect(asked).toEqual([[`${url}/v1/files`, init]])
  })

  it('says what is wrong with an endpoint', () => {
    expect(() => resilientFetch({ providers: [{ baseUrl: 'x' } as never] })).toThrow(
      /providers\[0\].*did you mean baseURL/,
    )
    expect(() => resilientFetch({ providers: [{ baseURL: 'api.openai.com' }] })).toThrow(
      /providers\[0\].baseURL must be/,
    )
    expect(() => resilientFetch({ providers: [] })).toThrow(/at least one/)
    expect(() => resilientFetch({ providers: ['openai'] as never })).toThrow(
      /providers\[0\] must be an object.*not "openai"/,
    )
    expect(() => resilientFetch({ maxRetry: 1 } as never)).toThrow(/^resilientFetch: .*maxRetries/)
    expect(() => resilientFetch({ provider: [{}] } as never)).toThrow(/provider: did you mean providers\?/)
    expect(() => resilientFetch({ fetch: 'x' } as never)).toThrow(/fetch must be a function/)
  })
})

it('says that it takes options, not an address', () => {
  expect(() => resilientFetch('https://api.openai.com' as never)).toThrow(/takes options/)
})
