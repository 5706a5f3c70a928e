import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { ChatAnthropic } from '@langchain/anthropic'
import { ChatGoogleGenerativeAI } from '@langchain/google-genai'
import { ChatOpenAI } from '@langchain/openai'
import { generateText, type LanguageModel, streamText } from 'ai'
import { createFallback } from 'ai-fallback'
import { createRetryableModel } from 'ai-retry/language-model'
import OpenAI from 'openai'
import { Health } from '../../src/provider/health.ts'
import { resilient } from '../../src/sdk/ai-sdk/resilient.ts'
import { resilientModel } from '../../src/sdk/langchain/resilient-model.ts'
import type { VendorName } from './vendors.ts'

/** The limits of a wrapped client: one try each, and none waits long. */
export const WRAPPED = { maxRetries: 0, budgetMs: 10_000, firstChunkMs: 3_000, idleMs: 3_000 }

/** One way to ask a model with a real client. */
export interface Client {
  name: string
  vendor: VendorName
  /** The library, for the table. */
  of: 'openai' | 'anthropic' | 'genai' | 'ai sdk' | 'langchain' | 'fetch'
  streams: boolean
  /** @param url the server and its fault */
  ask(url: string, signal: AbortSignal, fetch?: typeof globalThis.fetch): unknown
  /** With our wrapper for this client; default: with our `fetch`. */
  askWrapped?(bad: string, good: string, signal: AbortSignal): unknown
  /** Reads the whole text of an answer. */
  read(value: never, take: (text: string) => void): Promise<void> | void
  /** The libraries that fail over for this client, by their names. */
  peers?: Readonly<Record<string, (bad: string, good: string, signal: AbortSignal) => unknown>>
}

const ROLE = 'user' as const
const ask = [{ role: ROLE, content: 'Say the letters.' }]
const apiKey = 'no-key'
type Fetch = typeof globalThis.fetch
const openai = (url: string, fetch?: Fetch) =>
  new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0, ...(fetch ? { fetch } : {}) })
const anthropic = (url: string, fetch?: Fetch) =>
  new Anthropic({ apiKey, baseURL: url, maxRetries: 0, ...(fetch ? { fetch } : {}) })
const genai = (url: string, fetch?: Fetch) =>
  new GoogleGenAI({
    apiKey,
    httpOptions: { baseUrl: url, retryOptions: { attempts: 1 }, ...(fetch ? { fetch } : {}) },
  })

async function each<T>(
  events: AsyncIterable<T>,
  textOf: (event: T) => string | null | undefined,
  take: (text: string) => void,
) {
  for await (const event of events) take(textOf(event) ?? '')
}

type ChatChunk = { choices: { delta?: { content?: string | null } }[] }
const chatText = ({ choices }: ChatChunk) => choices?.[0]?.delta?.content
type Typed = { type: string; delta?: unknown }
const responseText = (event: Typed) =>
  event.type === 'response.output_text.delta' ? String(event.delta) : ''
const messageText = (event: Typed) =>
  event.type === 'content_block_delta' ? (event.delta as { text?: string }).text : ''
type GeminiPiece = { candidates?: { content?: { parts?: { text?: string }[] } }[] }
const geminiText = ({ candidates }: GeminiPiece) =>
  candidates?.[0]?.content?.parts?.map(({ text }) => text ?? '').join('')

const OPENAI: Client[] = [
  {
    name: 'openai chat stream',
    of: 'openai',
    vendor: 'chat',
    streams: true,
    ask: (url, signal, fetch) =>
      openai(url, fetch).chat.completions.create({ model: 'm', messages: ask, stream: true }, { signal }),
    read: (value: AsyncIterable<ChatChunk>, take) => each(value, chatText, take),
  },
  {
    name: 'openai chat helper',
    of: 'openai',
    vendor: 'chat',
    streams: true,
    ask: (url, signal, fetch) =>
      openai(url, fetch).chat.completions.stream({ model: 'm', messages: ask }, { signal }),
    read: (value: AsyncIterable<ChatChunk>, take) => each(value, chatText, take),
  },
  {
    name: 'openai responses stream',
    of: 'openai',
    vendor: 'responses',
    streams: true,
    ask: (url, signal, fetch) =>
      openai(url, fetch).responses.create({ model: 'm', input: 'x', stream: true }, { signal }),
    read: (value: AsyncIterable<Typed>, take) => each(value, responseText, take),
  },
  {
    name: 'openai responses helper',
    of: 'openai',
    vendor: 'responses',
    streams: true,
    ask: (url, signal, fetch) => openai(url, fetch).responses.stream({ model: 'm', input: 'x' }, { signal }),
    read: (value: AsyncIterable<Typed>, take) => each(value, responseText, take),
  },
  {
    name: 'openai chat',
    of: 'openai',
    vendor: 'chat',
    streams: false,
    ask: (url, signal, fetch) =>
      openai(url, fetch).chat.completions.create({ model: 'm', messages: ask }, { signal }),
    read: (value: { choices: { message: { content: string } }[] }, take) =>
      take(value.choices[0]?.message.content ?? ''),
  },
  {
    name: 'openai responses',
    of: 'openai',
    vendor: 'responses',
    streams: false,
    ask: (url, signal, fetch) => openai(url, fetch).responses.create({ model: 'm', input: 'x' }, { signal }),
    read: (value: { output_text: string }, take) => take(value.output_text),
  },
]

const ANTHROPIC: Client[] = [
  {
    name: 'anthropic stream',
    of: 'anthropic',
    vendor: 'messages',
    streams: true,
    ask: (url, signal, fetch) =>
      anthropic(url, fetch).messages.create(
        { model: 'm', max_tokens: 9, messages: ask, stream: true },
        { signal },
      ),
    read: (value: AsyncIterable<Typed>, take) => each(value, messageText, take),
  },
  {
    name: 'anthropic helper',
    of: 'anthropic',
    vendor: 'messages',
    streams: true,
    ask: (url, signal, fetch) =>
      anthropic(url, fetch).messages.stream({ model: 'm', max_tokens: 9, messages: ask }, { signal }),
    read: (value: AsyncIterable<Typed>, take) => each(value, messageText, take),
  },
  {
    name: 'anthropic helper, finalText',
    of: 'anthropic',
    vendor: 'messages',
    streams: true,
    ask: (url, signal, fetch) =>
      anthropic(url, fetch).messages.stream({ model: 'm', max_tokens: 9, messages: ask }, { signal }),
    read: async (value: { finalText(): Promise<string> }, take) => take(await value.finalText()),
  },
  {
    name: 'anthropic',
    of: 'anthropic',
    vendor: 'messages',
    streams: false,
    ask: (url, signal, fetch) =>
      anthropic(url, fetch).messages.create({ model: 'm', max_tokens: 9, messages: ask }, { signal }),
    read: (value: { content: { text: string }[] }, take) =>
      take(value.content.map(({ text }) => text).join('')),
  },
]

const GENAI: Client[] = [
  {
    name: 'genai stream',
    of: 'genai',
    vendor: 'gemini',
    streams: true,
    ask: (url, abortSignal, fetch) =>
      genai(url, fetch).models.generateContentStream({ model: 'm', contents: 'x', config: { abortSignal } }),
    read: (value: AsyncIterable<GeminiPiece>, take) => each(value, geminiText, take),
  },
  {
    name: 'genai',
    of: 'genai',
    vendor: 'gemini',
    streams: false,
    ask: (url, abortSignal, fetch) =>
      genai(url, fetch).models.generateContent({ model: 'm', contents: 'x', config: { abortSignal } }),
    read: (value: GeminiPiece, take) => take(geminiText(value) ?? ''),
  },
]

const MODELS: [string, VendorName, (url: string, id?: string) => LanguageModel][] = [
  ['openai chat', 'chat', (url, id = 'm') => createOpenAI({ apiKey, baseURL: `${url}/v1` }).chat(id)],
  [
    'openai responses',
    'responses',
    (url, id = 'm') => createOpenAI({ apiKey, baseURL: `${url}/v1` }).responses(id),
  ],
  ['anthropic', 'messages', (url, id = 'm') => createAnthropic({ apiKey, baseURL: `${url}/v1` })(id)],
  ['google', 'gemini', (url, id = 'm') => createGoogleGenerativeAI({ apiKey, baseURL: `${url}/v1beta` })(id)],
]
type Model = Exclude<LanguageModel, string>
const quiet = { maxRetries: 0, onError() {}, prompt: 'Say the letters.' }
const streamed = (model: LanguageModel, abortSignal: AbortSignal) =>
  streamText({ model, abortSignal, ...quiet })
const generated = (model: LanguageModel, abortSignal: AbortSignal) =>
  generateText({ model, abortSignal, maxRetries: 0, prompt: quiet.prompt })
const fallback = (model: (url: string, id?: string) => LanguageModel, bad: string, good: string) =>
  createFallback({ models: [model(bad), model(good, 'second')] as never }) as unknown as Model
/** Any error moves on to the other model. It needs a name of its own: ai-retry does not ask a model twice that it knows by name. */
const retryable = (model: (url: string, id?: string) => LanguageModel, bad: string, good: string) =>
  createRetryableModel({
    model: model(bad) as never,
    retries: [model(good, 'second') as never],
  }) as unknown as Model

const wrapped = (model: (url: string, id?: string) => LanguageModel, bad: string, good: string) =>
  resilient([model(bad), model(good, 'second')] as LanguageModelV4[], { ...WRAPPED, health: new Health() })

const AI_SDK: Client[] = MODELS.flatMap(([name, vendor, model]) => [
  {
    name: `ai sdk ${name}, textStream`,
    of: 'ai sdk',
    vendor,
    streams: true,
    ask: (url, signal) => streamed(model(url), signal),
    read: ({ textStream }: { textStream: AsyncIterable<string> }, take) =>
      each(textStream, text => text, take),
    peers: {
      'ai-fallback': (bad, good, signal) => streamed(fallback(model, bad, good), signal),
      'ai-retry': (bad, good, signal) => streamed(retryable(model, bad, good), signal),
    },
    askWrapped: (bad, good, signal) => streamed(wrapped(model, bad, good), signal),
  },
  {
    name: `ai sdk ${name}, await text`,
    of: 'ai sdk',
    vendor,
    streams: true,
    ask: (url, signal) => streamed(model(url), signal),
    read: async (value: { text: PromiseLike<string> }, take) => take(await value.text),
    peers: {
      'ai-fallback': (bad, good, signal) => streamed(fallback(model, bad, good), signal),
      'ai-retry': (bad, good, signal) => streamed(retryable(model, bad, good), signal),
    },
    askWrapped: (bad, good, signal) => streamed(wrapped(model, bad, good), signal),
  },
  {
    name: `ai sdk ${name}`,
    of: 'ai sdk',
    vendor,
    streams: false,
    ask: (url, signal) => generated(model(url), signal),
    read: (value: { text: string }, take) => take(value.text),
    peers: {
      'ai-fallback': (bad, good, signal) => generated(fallback(model, bad, good), signal),
      'ai-retry': (bad, good, signal) => generated(retryable(model, bad, good), signal),
    },
    askWrapped: (bad, good, signal) => generated(wrapped(model, bad, good), signal),
  },
])

const CHAINS: [string, VendorName, (url: string) => ChatOpenAI | ChatAnthropic | ChatGoogleGenerativeAI][] = [
  [
    'openai',
    'chat',
    url => new ChatOpenAI({ model: 'm', apiKey, maxRetries: 0, configuration: { baseURL: `${url}/v1` } }),
  ],
  [
    'anthropic',
    'messages',
    url => new ChatAnthropic({ model: 'm', apiKey, maxRetries: 0, anthropicApiUrl: url, maxTokens: 9 }),
  ],
  [
    'google',
    'gemini',
    url => new ChatGoogleGenerativeAI({ model: 'm', apiKey, maxRetries: 0, baseUrl: url }),
  ],
]
type Chunk = { text: string }

const LANGCHAIN: Client[] = CHAINS.flatMap(([name, vendor, model]) => [
  {
    name: `langchain ${name} stream`,
    of: 'langchain',
    vendor,
    streams: true,
    ask: (url, signal) => model(url).stream('x', { signal }),
    read: (value: AsyncIterable<Chunk>, take) => each(value, ({ text }) => text, take),
    peers: {
      LangChain: (bad, good, signal) =>
        model(bad)
          .withFallbacks([model(good)])
          .stream('x', { signal }),
    },
    askWrapped: (bad, good, signal) =>
      resilientModel([model(bad), model(good)], { ...WRAPPED, health: new Health() }).stream('x', { signal }),
  },
  {
    name: `langchain ${name}`,
    of: 'langchain',
    vendor,
    streams: false,
    ask: (url, signal) => model(url).invoke('x', { signal }),
    read: (value: Chunk, take) => take(value.text),
    peers: {
      LangChain: (bad, good, signal) =>
        model(bad)
          .withFallbacks([model(good)])
          .invoke('x', { signal }),
    },
    askWrapped: (bad, good, signal) =>
      resilientModel([model(bad), model(good)], { ...WRAPPED, health: new Health() }).invoke('x', { signal }),
  },
])

const PATHS: Record<
  VendorName,
  { path: string; whole: string; textOf: (event: never) => string | null | undefined }
> = {
  chat: { path: '/v1/chat/completions', whole: '/v1/chat/completions', textOf: chatText },
  responses: { path: '/v1/responses', whole: '/v1/responses', textOf: responseText },
  messages: { path: '/v1/messages', whole: '/v1/messages', textOf: messageText },
  gemini: {
    path: '/v1beta/models/m:streamGenerateContent?alt=sse',
    whole: '/v1beta/models/m:generateContent',
    textOf: geminiText,
  },
}

/** A program that reads the stream itself, line by line. */
const FETCH: Client[] = (Object.keys(PATHS) as VendorName[]).map(vendor => ({
  name: `fetch ${vendor}`,
  of: 'fetch',
  vendor,
  streams: true,
  ask: (url, signal, fetch = globalThis.fetch) =>
    fetch(url + PATHS[vendor].path, { method: 'POST', body: '{"stream":true}', signal }),
  async read(value: Response, take) {
    if (!value.ok) throw new Error(`status ${value.status}`)
    for (const line of (await value.text()).split(/\r?\n/)) {
      if (!line.startsWith('data: {')) continue
      try {
        take(
          (PATHS[vendor].textOf as (event: unknown) => string | undefined)(JSON.parse(line.slice(6))) ?? '',
        )
      } catch {
        // As many programs do.
      }
    }
  },
}))

export const CLIENTS: readonly Client[] = [
  ...OPENAI,
  ...ANTHROPIC,
  ...GENAI,
  ...AI_SDK,
  ...LANGCHAIN,
  ...FETCH,
]
