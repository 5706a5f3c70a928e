import { createOpenAI } from '@ai-sdk/openai'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { Mistral } from '@mistralai/mistralai'
import { HTTPClient } from '@mistralai/mistralai/lib/http'
import { generateText } from 'ai'
import Groq from 'groq-sdk'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { isCallFailed } from '../../src/call/call-failed.ts'
import { type ResilientFetchOptions, resilientFetch } from '../../src/sdk/fetch/resilient-fetch.ts'
import { always, quick, vendor } from './labs.ts'

const apiKey = 'k'
const messages = [{ role: 'user' as const, content: 'x' }]

type Ask = (url: { url: string; openaiUrl: string }, fetch: typeof globalThis.fetch) => Promise<string>
const joined = async (texts: AsyncIterable<string>) => (await Array.fromAsync(texts)).join('')

const openai = (baseURL: string, fetch: typeof globalThis.fetch) => new OpenAI({ apiKey, baseURL, fetch })
const CLIENTS: Record<string, Ask> = {
  'openai chat': async ({ openaiUrl }, fetch) =>
    (await openai(openaiUrl, fetch).chat.completions.create({ model: 'm', messages })).choices[0]?.message
      .content ?? '',
  'openai chat stream': async ({ openaiUrl }, fetch) => {
    const stream = await openai(openaiUrl, fetch).chat.completions.create({
      model: 'm',
      messages,
      stream: true,
    })
    return joined(
      (async function* () {
        for await (const { choices } of stream) yield choices[0]?.delta.content ?? ''
      })(),
    )
  },
  'openai responses': async ({ openaiUrl }, fetch) =>
    (await openai(openaiUrl, fetch).responses.create({ model: 'm', input: 'x' })).output_text,
  anthropic: async ({ url }, fetch) => {
    const { content } = await new Anthropic({ apiKey, baseURL: url, fetch }).messages.create({
      model: 'm',
      max_tokens: 9,
      messages,
    })
    return content.map(block => (block.type === 'text' ? block.text : '')).join('')
  },
  'anthropic stream': ({ url }, fetch) =>
    new Anthropic({ apiKey, baseURL: url, fetch }).messages
      .stream({ model: 'm', max_tokens: 9, messages })
      .finalText(),
  google: async ({ url }, fetch) =>
    (
      await new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url, fetch } }).models.generateContent({
        model: 'm',
        contents: 'x',
      })
    ).text ?? '',
  'google stream': async ({ url }, fetch) => {
    const stream = await new GoogleGenAI({
      apiKey,
      httpOptions: { baseUrl: url, fetch },
    }).models.generateContentStream({ model: 'm', contents: 'x' })
    return joined(
      (async function* () {
        for await (const { text } of stream) yield text ?? ''
      })(),
    )
  },
  mistral: async ({ url }, fetcher) => {
    const client = new Mistral({ apiKey, serverURL: url, httpClient: new HTTPClient({ fetcher }) })
    return String((await client.chat.complete({ model: 'm', messages })).choices[0]?.message?.content)
  },
  'mistral stream': async ({ url }, fetcher) => {
    const client = new Mistral({ apiKey, serverURL: url, httpClient: new HTTPClient({ fetcher }) })
    const stream = await client.chat.stream({ model: 'm', messages })
    return joined(
      (async function* () {
        for await (const { data } of stream) yield String(data.choices[0]?.delta.content ?? '')
      })(),
    )
  },
  groq: async ({ url }, fetch) =>
    (await new Groq({ apiKey, baseURL: url, fetch }).chat.completions.create({ model: 'm', messages }))
      .choices[0]?.message.content ?? '',
  'groq stream': async ({ url }, fetch) => {
    const client = new Groq({ apiKey, baseURL: url, fetch })
    const stream = await client.chat.completions.create({ model: 'm', messages, stream: true })
    return joined(
      (async function* () {
        for await (const { choices } of stream) yield choices[0]?.delta.content ?? ''
      })(),
    )
  },
  'ai sdk': async ({ openaiUrl }, fetch) =>
    (await generateText({ model: createOpenAI({ apiKey, baseURL: openaiUrl, fetch })('m'), prompt: 'x' }))
      .text,
}
const CLIENT_NAMES = Object.keys(CLIENTS)
const base = (name: string, { url, openaiUrl }: { url: string; openaiUrl: string }) =>
  /openai|ai sdk/.test(name) ? openaiUrl : url

async function ask(name: string, script: Parameters<typeof vendor>[0], options: ResilientFetchOptions = {}) {
  const [bad, good] = [await vendor(script), await vendor([], 'forty-two')]
  const providers = [{}, { baseURL: base(name, good), apiKey: 'second', id: 'second' }]
  const text = await (CLIENTS[name] as Ask)(bad, resilientFetch({ ...quick(), providers, ...options }))
  return { text, bad, good }
}

describe.each(CLIENT_NAMES)('%s', name => {
  it('fails over to another endpoint', async () => {
    const { text, bad, good } = await ask(name, always('billing'))
    expect(text).toBe('forty-two')
    expect([bad.requests.length, good.requests.length]).toEqual([1, 1])
  })

  it('retries where it points, without a list', async () => {
    const lab = await vendor([{ fault: 'server_error', times: 2 }], 'forty-two')
    expect(await (CLIENTS[name] as Ask)(lab, resilientFetch(quick()))).toBe('forty-two')
    expect(lab.requests).toHaveLength(3)
  })

  it('does not multiply its own retries by ours', async () => {
    for (const fault of ['server_error', 'reset'] as const) {
      const lab = await vendor(always(fault))
      await expect((CLIENTS[name] as Ask)(lab, resilientFetch(quick()))).rejects.toThrow()
      expect(lab.requests).toHaveLength(3)
    }
  })
})

describe.each(CLIENT_NAMES.filter(name => name.includes('stream')))('%s', name => {
  // The lab's Gemini is overloaded only after its first words.
  it.skipIf(name.startsWith('google'))(
    'fails over from an overload inside the stream, before its first content',
    async () => {
      const { text, good } = await ask(name, always('overloaded', true), { maxRetries: 0 })
      expect(text).toBe('forty-two')
      expect(good.requests).toHaveLength(1)
    },
  )

  it('says so after the first content, and asks nobody else', async () => {
    const { bad, good } = {
      bad: await vendor(always('unfinished_stream'), 'one two three four'),
      good: await vendor(),
    }
    const providers = [{}, { baseURL: base(name, good), apiKey }]
    const error = await (CLIENTS[name] as Ask)(bad, resilientFetch({ ...quick(), providers })).catch(
      error => error,
    )
    expect(isCallFailed(error) || isCallFailed(error.cause)).toBe(true)
    expect(good.requests).toHaveLength(0)
  })
})

it('throws the errors of the client that its program knows', async () => {
  const lab = await vendor(always('auth'))
  const asked = (CLIENTS['openai chat'] as Ask)(lab, resilientFetch(quick()))
  await expect(asked).rejects.toBeInstanceOf(OpenAI.AuthenticationError)
})
