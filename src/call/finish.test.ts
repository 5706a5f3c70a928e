import { describe, expect, it } from 'vitest'
import { classify } from '../failure/classify.ts'
import { NodeHealth as Health } from '../process/node-health.ts'
import { call } from './call.ts'
import { council } from './council.ts'
import type { CallEvent } from './event.ts'

/** As the AI SDK makes the result of `generateText`: everything but its steps is a getter. */
class DefaultGenerateTextResult {
  readonly steps: readonly object[]
  constructor(finishReason: string, content: object[] = []) {
    this.steps = [{ finishReason: 'tool-calls' }, { finishReason, content }]
  }
  get text() {
    throw new Error('nobody may ask for this')
  }
}

class AIMessage {
  content = 'Hi'
  additional_kwargs = {}
  response_metadata: object
  constructor(metadata: object) {
    this.response_metadata = metadata
  }
}

const chat = (finish_reason: string) => ({
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason }],
})
const message = (stop_reason: string) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason,
})
const response = (reason: string) => ({
  object: 'response',
  status: 'incomplete',
  incomplete_details: { reason },
  error: null,
  output: [],
})
const gemini = (finishReason: string) => ({
  candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason }],
})

const CUT: [string, object][] = [
  ['chat', chat('length')],
  ['messages', message('max_tokens')],
  ['responses', response('max_output_tokens')],
  ['gemini', gemini('MAX_TOKENS')],
  ['gemini, a list of pieces', [gemini('FINISH_REASON_UNSPECIFIED'), gemini('MAX_TOKENS')]],
  ['the AI SDK', new DefaultGenerateTextResult('length')],
  ['the AI SDK, an object', Object.assign(Object.create({}), { object: {}, finishReason: 'length' })],
  ['LangChain', new AIMessage({ finish_reason: 'length' })],
  ['LangChain, Anthropic', new AIMessage({ stop_reason: 'max_tokens' })],
  ['LangChain, Gemini', new AIMessage({ finishReason: 'MAX_TOKENS' })],
]
const FILTERED: [string, object][] = [
  ['chat', chat('content_filter')],
  [
    'chat, a refusal',
    { choices: [{ message: { content: null, refusal: 'I cannot.' }, finish_reason: 'stop' }] },
  ],
  ['messages', message('refusal')],
  ['responses', response('content_filter')],
  ['gemini', gemini('SAFETY')],
  ['gemini, the prompt', { promptFeedback: { blockReason: 'SAFETY' } }],
  ['the AI SDK', new DefaultGenerateTextResult('content-filter')],
  ['LangChain', new AIMessage({ finish_reason: 'content_filter' })],
]

describe('an answer that is cut at its token limit', () => {
  it.each(CUT)('of %s is delivered with a remark, at the first try', async (_of, answer) => {
    const gate = new Health()
    const result = await call(() => answer, { provider: 'p', health: gate })
    expect(result.value).toBe(answer)
    expect(result.finish?.as).toBe('length')
    expect(result.attempts).toMatchObject([{ number: 1 }])
    expect((await gate.status())[0]).toMatchObject({ admits: true, breaker: { failures: 0 } })
  })

  it.each(CUT)('of %s is a failure where the caller is strict', async (_of, answer) => {
    await expect(call(() => answer, { finish: 'strict' })).rejects.toMatchObject({
      failure: { class: 'rail', kind: 'max_tokens' },
      cause: answer,
    })
  })
})

describe('an answer that is filtered', () => {
  it.each(FILTERED)('of %s is delivered with a remark', async (_of, answer) => {
    const { value, finish } = await call(() => answer)
    expect([value, finish?.as]).toEqual([answer, 'filtered'])
  })

  it.each(FILTERED)('of %s is a failure where the caller is strict', async (_of, answer) => {
    await expect(call(() => answer, { finish: 'strict' })).rejects.toMatchObject({
      failure: { class: 'permanent', kind: 'content_policy' },
    })
  })

  const good = chat('stop')
  it('is asked of the next provider, if the caller wants that', async () => {
    const gate = new Health()
    const events: CallEvent[] = []
    const result = await call(({ provider }) => (provider === 'a' ? chat('content_filter') : good), {
      pool: ['a', 'b'],
      health: gate,
      finish: 'failover',
      onEvent: event => void events.push(event),
    })
    expect(result).toMatchObject({ value: good, provider: 'b' })
    expect(result.finish).toBeUndefined()
    expect(result.attempts[0]).toMatchObject({
      failure: { kind: 'content_policy' },
      verdict: { rule: 'call:filtered' },
    })
    expect((await gate.status()).map(({ admits, running }) => [admits, running])).toEqual([
      [true, 0],
      [true, 0],
    ])
    expect(events.filter(({ type }) => type === 'settled')).toHaveLength(1)
  })

  it.each<[string, () => unknown]>([
    ['fails', () => Promise.reject(Object.assign(new Error('invalid x-api-key'), { status: 401 }))],
    ['filters too', () => chat('content_filter')],
    ['is paused', () => good],
  ])('is delivered after all if the next provider %s', async (how, second) => {
    const gate = new Health()
    if (how === 'is paused') await gate.pause('b', 'audit')
    const first = chat('content_filter')
    const events: CallEvent[] = []
    const result = await call(({ provider }) => (provider === 'a' ? first : second()), {
      pool: ['a', 'b'],
      health: gate,
      finish: 'failover',
      maxRetries: 0,
      onEvent: event => void events.push(event),
    })
    expect(result.finish?.as).toBe('filtered')
    expect((result.value as typeof good).choices[0]?.message.content).toBe('Hi')
    expect(events.filter(({ type }) => type === 'settled')).toMatchObject([{ outcome: 'succeeded' }])
  })
})

it('is delivered where a better answer would exceed the cost limit', async () => {
  const asked: (string | undefined)[] = []
  const filtered = {
    ...chat('content_filter'),
    model: 'm',
    usage: { prompt_tokens: 1, completion_tokens: 1 },
  }
  const { finish, costUsd } = await call(
    ({ provider }) => {
      asked.push(provider)
      return filtered
    },
    {
      pool: ['a', 'b'],
      health: new Health(),
      finish: 'failover',
      prices: { m: { input: 1_000_000, output: 1_000_000 } },
      maxCostUsd: 1,
    },
  )
  expect([asked, finish?.as, costUsd]).toEqual([['a'], 'filtered', 2])
})

it('is absent from any other answer, and from one that failed', async () => {
  for (const answer of [
    chat('stop'),
    message('end_turn'),
    gemini('STOP'),
    { finish_reason: 7 },
    'text',
    null,
    [],
  ])
    expect(await call(() => answer)).not.toHaveProperty('finish')
  const failed = { ...chat('length'), error: { message: 'Internal server error', code: 500 } }
  await expect(call(() => failed, { maxRetries: 0 })).rejects.toThrow('Internal server error')
})

it('does not change what the classifier says, nor what the caller’s own says', async () => {
  expect(classify(chat('length'), { returned: true })).toMatchObject({ class: 'rail', kind: 'max_tokens' })
  const classifier = () => ({ kind: 'bad_json' }) as const
  await expect(call(() => chat('length'), { classifier, maxRetries: 0 })).rejects.toMatchObject({
    failure: { kind: 'bad_json' },
  })
})

it('is no voice in a council', async () => {
  const members = ['a', 'b', 'c'].map(name => ({
    name,
    ask: async () => chat(name === 'a' ? 'content_filter' : 'stop'),
  }))
  const { successes, failures } = await council(members, { prompt: 'well?' })
  expect([successes.length, failures.length]).toEqual([2, 1])
})

it('refuses another word, and says which are right', async () => {
  await expect(call(() => 1, { finish: 'lenient' as never })).rejects.toThrow(
    'call: finish must be deliver, strict, failover, or a list of length, filtered, empty, schema, not "lenient"',
  )
})

class GenerateContentResponse {
  sdkHttpResponse = { headers: {} }
}

it.each<[string, object, object]>([
  [
    'Gemini without candidates',
    new GenerateContentResponse(),
    Object.assign(new GenerateContentResponse(), gemini('STOP')),
  ],
  [
    'the AI SDK without an end',
    new DefaultGenerateTextResult('other'),
    new DefaultGenerateTextResult('stop'),
  ],
])('is no answer: a result of %s', async (_of, empty, whole) => {
  const { value } = await call(({ provider }) => (provider === 'a' ? empty : whole), {
    pool: ['a', 'b'],
    health: new Health(),
    maxRetries: 0,
  })
  expect(value).toBe(whole)
  await expect(call(() => empty, { maxRetries: 0 })).rejects.toMatchObject({
    failure: { class: 'transient', kind: 'bad_json', effect: 'maybe' },
  })
  expect((await call(() => empty, { softFailures: false })).value).toBe(empty)
})

it('is an answer if it has words, although the server said nothing about its end', async () => {
  const answer = new DefaultGenerateTextResult('other', [{ type: 'text', text: 'Hi' }])
  expect((await call(() => answer)).value).toBe(answer)
})
