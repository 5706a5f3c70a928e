import { describe, expect, it } from 'vitest'
import { type Endpoint, named, providerAt, requestFor } from './endpoint.ts'
import { isBoundToAccount, modelOf, modelRequestOf } from './model-request.ts'

const asked = async (url: string, headers: Record<string, string> = {}, body = '{"model":"m","n":1}') => {
  const request = await modelRequestOf(url, { method: 'POST', headers, body })
  if (!request) throw new Error(`${url} asks no model`)
  return request
}

describe('a question to a model', () => {
  it.each([
    'https://api.openai.com/v1/chat/completions',
    'https://api.openai.com/v1/responses',
    'https://api.openai.com/v1/embeddings',
    'https://api.anthropic.com/v1/messages',
    'https://generativelanguage.googleapis.com/v1beta/models/gemini-3:streamGenerateContent?alt=sse',
  ])('is %s', async url => {
    expect(await modelRequestOf(url, { method: 'post', body: '{}' })).toBeDefined()
  })

  it.each([
    ['GET', 'https://api.openai.com/v1/models'],
    ['GET', 'https://api.openai.com/v1/responses/resp_1'],
    ['POST', 'https://api.openai.com/v1/files'],
    ['POST', 'https://api.anthropic.com/v1/messages/batches'],
    ['POST', 'https://api.openai.com/v1/responses/resp_1/cancel'],
  ])('is not %s %s', async (method, url) => {
    expect(await modelRequestOf(url, { method })).toBeUndefined()
  })

  it('may come as a Request, whose stream is read so that it can be sent again', async () => {
    const headers = { 'x-a': '1', 'x-b': '2' }
    const request = await modelRequestOf(
      new Request('https://a.test/v1/messages', { method: 'POST', headers, body: '{"model":"opus"}' }),
      { headers: { 'x-b': '3' } },
    )
    expect(request && modelOf(request)).toBe('opus')
    expect(request?.headers.get('x-a')).toBe('1')
    expect(request?.headers.get('x-b')).toBe('3')
  })

  it('stays with its account if it builds on what that keeps', async () => {
    const url = 'https://api.openai.com/v1/responses'
    expect(isBoundToAccount(await asked(url, {}, '{"previous_response_id":"resp_1"}'))).toBe(true)
    expect(isBoundToAccount(await asked(url, {}, '{"previous_response_id":null}'))).toBe(false)
  })
})

describe('where a request goes', () => {
  const at = async (url: string, endpoint: Endpoint, others: Endpoint[] = []) =>
    requestFor(await asked(url), endpoint, [endpoint, ...others]).url.href

  it.each([
    [
      'https://api.openai.com/v1/chat/completions',
      'https://api.groq.com/openai/v1',
      'https://api.groq.com/openai/v1/chat/completions',
    ],
    [
      'https://api.openai.com/v1/chat/completions',
      'https://gw.test/v1beta/openai/',
      'https://gw.test/v1beta/openai/chat/completions',
    ],
    [
      'https://api.anthropic.com/v1/messages',
      'https://gw.test/anthropic',
      'https://gw.test/anthropic/v1/messages',
    ],
    [
      'https://api.anthropic.com/v1/messages',
      'https://gw.test/anthropic/v1',
      'https://gw.test/anthropic/v1/messages',
    ],
    [
      'https://g.test/v1beta/models/a:generateContent?alt=sse',
      'https://gw.test',
      'https://gw.test/v1beta/models/a:generateContent?alt=sse',
    ],
    [
      'https://api.openai.com/v1/chat/completions',
      'https://x.openai.azure.com/openai/v1?api-version=1',
      'https://x.openai.azure.com/openai/v1/chat/completions?api-version=1',
    ],
  ])('%s at %s is %s', async (url, baseURL, expected) => {
    expect(await at(url, { baseURL })).toBe(expected)
  })

  it('is below the base URL that the client has, if that is in the list', async () => {
    const client = { baseURL: 'https://gw.test/deployments/a' }
    const url = await at(
      'https://gw.test/deployments/a/chat/completions',
      { baseURL: 'https://b.test/api' },
      [client],
    )
    expect(url).toBe('https://b.test/api/chat/completions')
  })

  it('is unchanged without a base URL', async () => {
    expect(await at('https://a.test/v1/messages?beta=true', {})).toBe('https://a.test/v1/messages?beta=true')
  })
})

describe('what goes with a request', () => {
  const KEYS = { authorization: 'Bearer mine', cookie: 'c', 'openai-organization': 'o', 'x-other': 'x' }
  const sent = async (
    endpoint: Endpoint,
    headers: Record<string, string> = KEYS,
    url = 'https://a.test/v1/messages',
  ) => {
    const { init, url: to } = requestFor(await asked(url, headers), endpoint, [endpoint])
    return { headers: Object.fromEntries(init.headers as Headers), body: init.body, to }
  }

  it('never takes the key of one host to another', async () => {
    const { headers } = await sent({ baseURL: 'https://b.test/v1' })
    expect(headers).toMatchObject({ 'x-other': 'x' })
    for (const name of ['authorization', 'cookie', 'openai-organization'])
      expect(headers).not.toHaveProperty(name)
    const { to } = await sent(
      { baseURL: 'https://b.test' },
      {},
      'https://a.test/v1beta/models/m:generateContent?key=mine',
    )
    expect(to.searchParams.has('key')).toBe(false)
  })

  it('keeps the key at the same host', async () => {
    expect((await sent({ model: 'n' })).headers.authorization).toBe('Bearer mine')
  })

  it.each([
    [{ authorization: 'Bearer mine' }, 'authorization', 'Bearer yours'],
    [{ 'x-api-key': 'mine' }, 'x-api-key', 'yours'],
    [{ 'x-goog-api-key': 'mine' }, 'x-goog-api-key', 'yours'],
    [{}, 'authorization', 'Bearer yours'],
  ])('has the key of the endpoint where the client has its own: %o', async (own, name, value) => {
    const { headers } = await sent({ baseURL: 'https://b.test', apiKey: 'yours' }, own)
    expect(headers[name]).toBe(value)
  })

  it('has the key of the endpoint at the same host', async () => {
    expect((await sent({ apiKey: 'yours' })).headers.authorization).toBe('Bearer yours')
  })

  it('asks for the model of the endpoint, in the body or in the path', async () => {
    expect((await sent({ model: 'n' })).body).toBe('{"model":"n","n":1}')
    const { to } = await sent({ model: 'n' }, {}, 'https://a.test/v1beta/models/m:generateContent')
    expect(to.pathname).toBe('/v1beta/models/n:generateContent')
  })
})

describe('the name of a provider', () => {
  it.each([
    ['https://api.openai.com/v1', 'openai'],
    ['https://openrouter.ai/api/v1', 'openrouter'],
    ['https://generativelanguage.googleapis.com', 'gemini'],
    ['https://me.openai.azure.com', 'azure'],
    ['https://bedrock-runtime.us-east-1.amazonaws.com', 'bedrock'],
    ['http://127.0.0.1:8080/v1', '127.0.0.1:8080'],
    ['http://localhost:11434', 'localhost:11434'],
  ])('of %s is %s', (url, name) => {
    expect(providerAt(new URL(url))).toBe(name)
  })

  it('is unique in a list', () => {
    const baseURL = 'https://api.openai.com/v1'
    const names = named(new URL(baseURL), [
      { model: 'a' },
      { model: 'b' },
      { model: 'b', apiKey: 'k' },
      { id: 'x' },
    ])
    expect([...names.keys()]).toEqual(['openai/a', 'openai/b', 'openai/b#3', 'x'])
  })
})
