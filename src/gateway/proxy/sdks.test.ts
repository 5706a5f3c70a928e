import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { afterEach, describe, expect, it } from 'vitest'
import type { FaultStep, Lab } from '../../../lab/index.ts'
import { startLab } from '../../../lab/start.ts'
import { anthropicAt, startProxy } from '../../../test/gateway/proxy/proxy.ts'
import { differingHeaders, type Exchange, startTap } from '../../../test/gateway/proxy/tap.ts'
import { realTime } from '../../time/time.ts'

const MESSAGES = [{ role: 'user' as const, content: 'say hi' }]
const QUESTION = { model: 'claude-lab-1', max_tokens: 64, messages: MESSAGES }

const anthropicAtUrl = (url: string) => new Anthropic({ baseURL: url, apiKey: 'k', maxRetries: 0 })
const openaiAt = (url: string) => new OpenAI({ baseURL: `${url}/v1`, apiKey: 'k', maxRetries: 0 })
const googleAt = (url: string) => new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: url } }).models
const ASK_GEMINI = { model: 'gemini-lab-1', contents: 'say hi' }

/** Everything that a program gets from its SDK. */
async function all(stream: Promise<AsyncIterable<unknown>>): Promise<unknown[]> {
  const events: unknown[] = []
  for await (const event of await stream) events.push(event)
  return events
}

const USES: readonly (readonly [name: string, use: (url: string) => Promise<unknown>])[] = [
  ['Anthropic messages', url => anthropicAtUrl(url).messages.create(QUESTION)],
  ['Anthropic stream', url => all(anthropicAtUrl(url).messages.create({ ...QUESTION, stream: true }))],
  ['Anthropic tokens', url => anthropicAtUrl(url).messages.countTokens(QUESTION)],
  ['Anthropic models', url => anthropicAtUrl(url).models.list()],
  ['OpenAI chat', url => openaiAt(url).chat.completions.create({ model: 'gpt-lab-1', messages: MESSAGES })],
  [
    'OpenAI chat stream',
    url =>
      all(openaiAt(url).chat.completions.create({ model: 'gpt-lab-1', messages: MESSAGES, stream: true })),
  ],
  ['OpenAI responses', url => openaiAt(url).responses.create({ model: 'gpt-lab-1', input: 'say hi' })],
  [
    'OpenAI responses stream',
    url => all(openaiAt(url).responses.create({ model: 'gpt-lab-1', input: 'say hi', stream: true })),
  ],
  ['OpenAI models', url => openaiAt(url).models.list()],
  ['Gemini', url => googleAt(url).generateContent(ASK_GEMINI)],
  ['Gemini stream', url => all(googleAt(url).generateContentStream(ASK_GEMINI))],
  ['Gemini tokens', url => googleAt(url).countTokens(ASK_GEMINI)],
]

const stops: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

/** A vendor behind a tap, and a proxy before it behind another. */
async function world() {
  // Answers name the second in which they were made.
  const now = Date.UTC(2026, 0, 1)
  const lab = await startLab({ answer: 'hello there', time: { ...realTime, now: () => now } })
  const behind = await startTap(lab.url)
  const upstreams = (['anthropic', 'openai', 'gemini'] as const).map(api => ({
    ...anthropicAt(behind.url),
    api,
    id: api,
  }))
  const { proxy, url } = await startProxy(upstreams)
  const before = await startTap(url)
  stops.push(
    () => lab.close(),
    behind.close,
    () => proxy.stop(),
    before.close,
  )
  return { lab, behind, before }
}

/** What a program gets: a value, or the error it throws. Google's SDK shows headers that each server writes by itself. */
const outcome = async (using: Promise<unknown>) => {
  try {
    return JSON.stringify(await using).replace(/"(?:date|keep-alive)":"[^"]*",?/g, '')
  } catch (error) {
    const { name, message, status } = error as Error & { status?: number }
    return JSON.stringify({ name, message, status })
  }
}

async function bothWays(use: (url: string) => Promise<unknown>, steps: readonly FaultStep[] = []) {
  const { lab, behind, before } = await world()
  const begin = (of: Lab) => {
    of.reset()
    of.inject(steps)
  }
  begin(lab)
  const direct = await outcome(use(lab.url))
  begin(lab)
  const through = await outcome(use(before.url))
  await expect.poll(() => before.exchanges.length).toBe(1)
  const [asked] = before.exchanges as [Exchange]
  const sent = behind.exchanges.at(-1) as Exchange
  return { direct, through, asked, sent }
}

describe('with the official SDKs', () => {
  it.each(USES)('%s is the same exchange, byte by byte', async (_name, use) => {
    const { direct, through, asked, sent } = await bothWays(use)
    expect(through).toBe(direct)
    expect(sent.asked.path).toBe(asked.asked.path)
    expect(sent.asked.body.equals(asked.asked.body)).toBe(true)
    expect(asked.answered.status).toBe(sent.answered.status)
    expect(asked.answered.body.equals(sent.answered.body)).toBe(true)
    expect(differingHeaders(asked.asked, sent.asked)).toEqual(['accept-encoding', 'host'])
    expect(differingHeaders(sent.answered, asked.answered)).toEqual(['keep-alive'])
  })

  it.each(USES)('%s throws the same error', async (_name, use) => {
    const { direct, through, asked, sent } = await bothWays(use, [{ fault: 'invalid_request', path: '/' }])
    expect(through).toBe(direct)
    expect(asked.answered.body.equals(sent.answered.body)).toBe(true)
  })
})
