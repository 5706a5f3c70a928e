import { expect, it } from 'vitest'
import { Health } from '../provider/health.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import type { Spent } from './bill.ts'
import { call } from './call.ts'
import type { CallEvent } from './event.ts'

const answer = (more: object = {}) => ({
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'hello' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1_000_000, output_tokens: 100_000, cache_read_input_tokens: 10 },
  ...more,
})
const prices = { m: { input: 1, output: 10 } }

function bill() {
  const items: Spent[] = []
  const events: CallEvent[] = []
  const take = (spent: Spent) => items.push(spent)
  const onEvent = (event: CallEvent) => events.push(event)
  return { items, events, options: { bill: take, onEvent, prices, time: new FakeTime(), sticky: 'talk' } }
}

it('puts what an answer used and cost on the bill', async () => {
  const { items, options } = bill()
  await call(() => answer(), { ...options, provider: 'anthropic' })
  expect(items).toEqual([
    {
      at: options.time.now(),
      provider: 'anthropic',
      model: 'm',
      session: 'talk',
      usage: { inputTokens: 1_000_010, outputTokens: 100_000, cachedTokens: 10, cacheWriteTokens: 0 },
      costUsd: 2.00001,
      isFailed: false,
    },
  ])
})

it('leaves off what says nothing of its usage', async () => {
  const { items, options } = bill()
  await call(() => 'plain', options)
  expect(items).toEqual([])
})

it('puts on what the work charges, also of a try that failed', async () => {
  const { items, events, options } = bill()
  await call(
    ({ attempt, charge }) => {
      charge({ usd: 0.5 })
      if (attempt === 1) throw Object.assign(new Error('invalid'), { status: 400 })
    },
    { ...options, provider: 'p' },
  ).catch(() => {})
  expect(items.map(({ costUsd, isFailed }) => [costUsd, isFailed])).toEqual([[0.5, true]])
  expect(events.find(({ type }) => type === 'attempt.failed')).toMatchObject({ costUsd: 0.5 })
})

it('tells what an answer used that another had to better', async () => {
  const { items, events, options } = bill()
  const { provider } = await call(
    ({ provider }) => (provider === 'a' ? answer({ stop_reason: 'refusal' }) : answer()),
    { ...options, pool: ['a', 'b'], finish: ['filtered'] },
  )
  expect(provider).toBe('b')
  expect(items.map(item => [item.provider, item.costUsd, item.isFailed])).toEqual([
    ['a', 2.00001, true],
    ['b', 2.00001, false],
  ])
  expect(events.find(({ type }) => type === 'attempt.failed')).toMatchObject({
    model: 'm',
    usage: { outputTokens: 100_000 },
  })
})

it('tells which try gave the answer, if a later one failed', async () => {
  const { events, items, options } = bill()
  const { provider } = await call(
    ({ provider }) => {
      if (provider === 'b') throw Object.assign(new Error('invalid'), { status: 400 })
      return answer({ stop_reason: 'refusal' })
    },
    { ...options, pool: ['a', 'b'], finish: ['filtered'] },
  )
  expect(provider).toBe('a')
  expect(items).toHaveLength(1)
  expect(events.at(-1)).toMatchObject({ type: 'settled', provider: 'a', model: 'm' })
})

const events = (...lines: object[]) =>
  new Response(lines.map(line => `event: x\ndata: ${JSON.stringify(line)}\n\n`).join(''), {
    headers: { 'content-type': 'text/event-stream' },
  })
const start = {
  type: 'message_start',
  message: { model: 'm', usage: { input_tokens: 1_000_000, output_tokens: 0 } },
}

it('tells what a stream used that failed before its first content', async () => {
  const { items, options } = bill()
  const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
  await call(() => events(start, overloaded), {
    ...options,
    provider: 'anthropic',
    maxRetries: 0,
    firstChunkMs: Infinity,
  }).catch(() => {})
  expect(items.map(({ costUsd, isFailed }) => [costUsd, isFailed])).toEqual([[1, true]])
})

it('puts a stream on the bill when it ends, once', async () => {
  const { items, options } = bill()
  const { value } = await call(
    () =>
      events(
        start,
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hi' } },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 100_000 } },
        { type: 'message_stop' },
      ),
    { ...options, provider: 'anthropic', firstChunkMs: Infinity },
  )
  expect(items).toEqual([])
  await value.text()
  expect(items.map(({ model, costUsd, isFailed }) => [model, costUsd, isFailed])).toEqual([['m', 2, false]])
})

it('is not broken by a bill that throws', async () => {
  const { options } = bill()
  const broken = () => {
    throw new Error('no paper')
  }
  expect((await call(() => answer(), { ...options, bill: broken })).costUsd).toBe(2.00001)
})

const LONG = 'a "usage": {} '.repeat(10_000)
const USAGE_OF_GEMINI = {
  promptTokenCount: 7,
  candidatesTokenCount: 5,
  promptTokensDetails: [{ tokenCount: 7 }],
}

it.each([
  ['of Anthropic', answer({ content: [{ type: 'text', text: LONG }] }), 1_000_010, 100_000],
  [
    'just over what is kept',
    answer({ content: [{ type: 'text', text: 'x'.repeat(65_380) }] }),
    1_000_010,
    100_000,
  ],
  [
    'of OpenAI',
    {
      model: 'm',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: LONG } }],
      usage: { prompt_tokens: 7, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 1 } },
      service_tier: 'default',
    },
    7,
    5,
  ],
  [
    'of Gemini',
    {
      candidates: [{ content: { parts: [{ text: LONG }], role: 'model' }, finishReason: 'STOP' }],
      usageMetadata: USAGE_OF_GEMINI,
      modelVersion: 'm',
    },
    7,
    5,
  ],
  [
    'of Gemini, as a list',
    [
      { candidates: [{ content: { parts: [{ text: 'a' }], role: 'model' } }], modelVersion: 'm' },
      {
        candidates: [{ content: { parts: [{ text: 'b' }], role: 'model' }, finishReason: 'STOP' }],
        usageMetadata: USAGE_OF_GEMINI,
        modelVersion: 'm',
      },
    ],
    7,
    5,
  ],
])('puts on what a JSON answer used, however long: %s', async (_, json, input, output) => {
  const { items, options } = bill()
  const body = JSON.stringify(json)
  const { value } = await call(
    () => new Response(piecesOf(body), { headers: { 'content-type': 'application/json' } }),
    { ...options, provider: 'p', firstChunkMs: Infinity },
  )
  expect(await value.text()).toBe(body)
  expect(items).toMatchObject([{ model: 'm', usage: { inputTokens: input, outputTokens: output } }])
})

function piecesOf(text: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) controller.close()
      else controller.enqueue(bytes.slice(at, at + 10_000))
      at += 10_000
    },
  })
}

it.each([
  ['the caller aborts', 'aborted'],
  ['the next one interrupts the program', 'GraphInterrupt'],
])(
  'tells what a filtered stream used, and gives back its place, if %s while another is asked',
  async (_, how) => {
    const { items, options } = bill()
    const { time } = options
    const health = new Health({ time, providers: [{ id: 'a', maxConcurrent: 1 }] })
    const refused = {
      type: 'message_delta',
      delta: { stop_reason: 'refusal' },
      usage: { output_tokens: 100_000 },
    }
    const controller = new AbortController()
    const given = { ...options, health, firstChunkMs: Infinity, signal: controller.signal }
    let ofFirst: AbortSignal | undefined
    await call(
      ({ provider, signal }) => {
        ofFirst ??= signal
        if (provider === 'a') return events(start, refused, { type: 'message_stop' })
        if (how === 'aborted') controller.abort(new Error('enough'))
        throw Object.assign(new Error('stopped'), { name: how })
      },
      { ...given, pool: ['a', 'b'], finish: ['filtered'] },
    ).catch(() => {})
    expect(items.map(({ provider, costUsd }) => [provider, costUsd])).toEqual([['a', 2]])
    expect(ofFirst?.aborted).toBe(true)
    const next = call(() => 'served', { provider: 'a', health, time, longestWaitMs: 1_000 })
    expect((await time.until(next)).value).toBe('served')
    expect(time.monotonic()).toBe(0)
  },
)

it('tells what each filtered stream used, and gives back its place, if several were asked', async () => {
  const { items, options } = bill()
  const { time } = options
  const providers = ['a', 'b'].map(id => ({ id, maxConcurrent: 1 }))
  const health = new Health({ time, providers })
  const refused = {
    type: 'message_delta',
    delta: { stop_reason: 'refusal' },
    usage: { output_tokens: 100_000 },
  }
  const asked: AbortSignal[] = []
  const { value } = await call(
    ({ provider, signal }) => {
      asked.push(signal)
      return provider === 'c' ? 'served' : events(start, refused, { type: 'message_stop' })
    },
    { ...options, health, firstChunkMs: Infinity, pool: ['a', 'b', 'c'], finish: ['filtered'] },
  )
  expect(value).toBe('served')
  expect(items.map(({ provider, costUsd }) => [provider, costUsd])).toEqual([
    ['b', 2],
    ['a', 2],
  ])
  expect(asked.map(({ aborted }) => aborted)).toEqual([true, true, false])
  expect((await health.status()).map(({ running }) => running)).toEqual([0, 0, 0])
})

it('fails if the time is over before a filtered stream could be read, instead of giving one that cannot be', async () => {
  const { items, options } = bill()
  const refused = {
    type: 'message_delta',
    delta: { stop_reason: 'refusal' },
    usage: { output_tokens: 100_000 },
  }
  const called = call<unknown>(
    ({ provider }) =>
      provider === 'a' ? events(start, refused, { type: 'message_stop' }) : new Promise(() => {}),
    { ...options, budgetMs: 1_000, firstChunkMs: Infinity, pool: ['a', 'b'], finish: ['filtered'] },
  )
  expect(await options.time.until(called.catch(error => error))).toMatchObject({
    failure: { class: 'timeout' },
  })
  expect(items.map(({ provider, costUsd }) => [provider, costUsd])).toEqual([['a', 2]])
})
