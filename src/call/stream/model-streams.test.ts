import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { GOOD_STREAMS } from '../../../test/failure/stream/streams.ts'
import { NodeHealth as Health } from '../../process/node-health.ts'
import { FakeTime } from '../../testing/core/fake-time.ts'
import { call } from '../call.ts'
import type { CallFailed } from '../call-failed.ts'
import type { CallOptions } from '../options.ts'

/** As the SDKs of OpenAI and Anthropic make theirs. */
class SdkStream {
  readonly controller = new AbortController()
  readonly iterator: () => AsyncIterator<unknown>
  constructor(events: readonly unknown[]) {
    this.iterator = async function* () {
      for (const event of events) {
        if (event instanceof Error) throw event
        yield event
      }
    }
  }
  [Symbol.asyncIterator]() {
    return this.iterator()
  }
}

const start = {
  type: 'message_start',
  message: { id: 'm', role: 'assistant', content: [], stop_reason: null },
}
const ping = { type: 'ping' }
const block = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }
const word = (text: string) => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text },
})
const stop = (stop_reason: string) => ({
  type: 'message_delta',
  delta: { stop_reason },
  usage: { output_tokens: 3 },
})
const good = [start, ping, block, word('Hi'), word('!'), stop('end_turn'), { type: 'message_stop' }]
const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }

async function all(chunks: unknown): Promise<unknown[]> {
  const read: unknown[] = []
  for await (const chunk of chunks as AsyncIterable<unknown>) read.push(chunk)
  return read
}

/** What a reader got before the error, and the error. */
async function untilCut(chunks: unknown) {
  const read: unknown[] = []
  try {
    for await (const chunk of chunks as AsyncIterable<unknown>) read.push(chunk)
  } catch (error) {
    return { read, error: error as CallFailed }
  }
  throw new Error('it ended as if all were well')
}

const sse = (body: string, headers: Record<string, string> = { 'content-type': 'text/event-stream' }) =>
  new Response(body, { headers })
const bodyOf = (events: readonly object[]) =>
  events.map(event => `data: ${JSON.stringify(event)}\n\n`).join('')

/** Every way in which a model's stream comes, made from its events. */
const WAYS: [string, (events: readonly object[]) => object, (value: never) => AsyncIterable<unknown>][] = [
  [
    'a stream of an SDK',
    events => new SdkStream(events),
    (value: SdkStream) => value as AsyncIterable<unknown>,
  ],
  [
    'a generator',
    events => new SdkStream(events).iterator() as AsyncGenerator,
    (value: AsyncGenerator) => value,
  ],
  ['a web stream of events', events => ReadableStream.from(events), (value: ReadableStream) => value],
  ['a Response', events => sse(bodyOf(events)), (value: Response) => value.body as ReadableStream],
  [
    'a web stream of bytes',
    events => sse(bodyOf(events)).body as ReadableStream,
    (value: ReadableStream) => value,
  ],
  [
    'a stream of Node',
    events => Readable.from(bodyOf(events).split(/(?<=\n\n)/), { objectMode: false, highWaterMark: 16_384 }),
    (value: Readable) => value,
  ],
]

describe.each(WAYS)('%s', (_way, make, chunksOf) => {
  const chunks = (value: unknown) => chunksOf(value as never)
  const options = (): CallOptions => ({
    pool: ['a', 'b'],
    health: new Health(),
    firstChunkMs: 60_000,
    maxRetries: 0,
  })

  it('that is complete is read to its end, and its provider is fine', async () => {
    const gate = new Health()
    const { value } = await call(() => make(good), { provider: 'a', health: gate })
    expect(await all(chunks(value))).not.toEqual([])
    expect((await gate.status())[0]).toMatchObject({ running: 0, breaker: { failures: 0 } })
  })

  it('that ends without its finish is cut, after all that came', async () => {
    const gate = new Health()
    const { value } = await call(() => make(good.slice(0, 5)), { provider: 'a', health: gate })
    const { read, error } = await untilCut(chunks(value))
    expect(read.length).toBeGreaterThan(0)
    expect(error).toMatchObject({
      name: 'CallFailed',
      failure: { class: 'transient', kind: 'stream_cut', effect: 'maybe' },
      verdict: { action: 'cancel', rule: 'call:delivered' },
    })
    expect((await gate.status())[0]).toMatchObject({ running: 0, breaker: { failures: 1 } })
  })

  it('that ends before its first words fails over, and its frame is not mixed with that of the next', async () => {
    const { value, provider } = await call(
      ({ provider }) => make(provider === 'a' ? good.slice(0, 3) : good),
      options(),
    )
    expect(provider).toBe('b')
    const alone = await call(() => make(good))
    expect(String(await all(chunks(value)))).toBe(String(await all(chunks(alone.value))))
  })

  it('that is overloaded after its frame fails over', async () => {
    const { provider, attempts } = await call(
      ({ provider }) => make(provider === 'a' ? [start, ping, block, overloaded] : good),
      options(),
    )
    expect(provider).toBe('b')
    expect(attempts[0]?.failure).toMatchObject({ class: 'transient', kind: 'overloaded' })
  })

  it('that fails after its first words throws that', async () => {
    const { value } = await call(() => make([start, block, word('Hi'), overloaded]), {
      provider: 'a',
      health: new Health(),
    })
    const { error } = await untilCut(chunks(value))
    expect(error).toMatchObject({ failure: { kind: 'overloaded', effect: 'maybe' } })
  })

  it('that ends at its token limit is delivered whole, with a remark', async () => {
    const events = [start, block, word('Hi'), stop('max_tokens'), { type: 'message_stop' }]
    const result = await call(() => make(events), { provider: 'a', health: new Health() })
    await all(chunks(result.value))
    expect(result.finish).toEqual({ as: 'length', reason: 'max_tokens' })
    const strict = await call(() => make(events), { provider: 'a', health: new Health(), finish: 'strict' })
    const { error } = await untilCut(chunks(strict.value))
    expect(error).toMatchObject({ failure: { class: 'rail', kind: 'max_tokens' } })
  })

  it('that is refused before its first words is asked of another provider, if the caller wants that', async () => {
    const refused = [start, stop('refusal'), { type: 'message_stop' }]
    const asked = (second: readonly object[]) =>
      call(({ provider }) => make(provider === 'a' ? refused : second), { ...options(), finish: 'failover' })
    expect((await asked(good)).provider).toBe('b')
    const kept = await asked(refused)
    await all(chunks(kept.value))
    expect(kept.finish).toEqual({ as: 'filtered', reason: 'refusal' })
  })

  it('that is not judged may end as it likes', async () => {
    const { value } = await call(() => make(good.slice(0, 5)), { softFailures: false })
    await expect(all(chunks(value))).resolves.toBeDefined()
  })
})

it.each(Object.keys(GOOD_STREAMS))('the good stream of %s is no failure', async name => {
  const { value } = await call(() => sse(GOOD_STREAMS[name] as string), { firstChunkMs: 60_000 })
  expect(await value.text()).toBe(GOOD_STREAMS[name])
})

describe('what came in place of a stream', () => {
  const failing = (response: () => Response | object, more: CallOptions = {}) =>
    call(response, { firstChunkMs: 60_000, maxRetries: 0, ...more }).then(
      () => 'fine',
      ({ failure }: CallFailed) => `${failure.class}/${failure.kind}`,
    )
  const json = { 'content-type': 'application/json' }

  it.each<[string, () => Response | object, string]>([
    ['nothing', () => sse(''), 'transient/stream_cut'],
    ['only comments', () => sse(': ping\n\n: ping\n\n'), 'transient/stream_cut'],
    ['a stream of an SDK without events', () => new SdkStream([]), 'transient/stream_cut'],
    [
      'an error in JSON',
      () => sse('{"error":{"type":"overloaded_error","message":"Overloaded"}}', json),
      'transient/overloaded',
    ],
    [
      'an error in JSON, called a stream',
      () => sse('{"error":{"code":"rate_limit_exceeded","message":"Rate limit reached"}}'),
      'throttle/rate_limit',
    ],
    [
      'a page',
      () => sse('<!doctype html><title>Sign in</title>', { 'content-type': 'text/html' }),
      'transient/stream_cut',
    ],
    ['a page, called a stream', () => sse('<!doctype html><title>Sign in</title>'), 'transient/stream_cut'],
    [
      'a whole answer',
      () => sse('{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}', json),
      'fine',
    ],
    ['text', () => sse('Hi', { 'content-type': 'text/plain' }), 'fine'],
  ])('%s', async (_what, response, expected) => {
    expect(await failing(response)).toBe(expected)
  })

  it('is delivered unchanged if it is an answer', async () => {
    const { value } = await call(() => sse('{"answer":42}', json), { firstChunkMs: 60_000 })
    expect(await value.json()).toEqual({ answer: 42 })
  })

  it('may be empty where nobody expects a stream of a model', async () => {
    const { value } = await call(async function* () {})
    expect(await all(value)).toEqual([])
  })
})

it('counts the wait for the first chunk from the start of the try, headers included', async () => {
  const time = new FakeTime()
  const asked: (string | undefined)[] = []
  const calling = call(
    async ({ provider }) => {
      asked.push(provider)
      // The first provider holds back its headers.
      if (provider === 'a') await new Promise<void>(resolve => void time.after(6_000, resolve))
      return new SdkStream(good)
    },
    { pool: ['a', 'b'], time, health: new Health({ time }), firstChunkMs: 500, maxRetries: 0 },
  )
  const { provider } = await time.until(calling)
  expect([provider, asked, time.monotonic()]).toEqual(['b', ['a', 'b'], 500])
})

it('counts headers and first chunk together', async () => {
  const time = new FakeTime()
  const calling = call(
    async ({ provider }) => {
      await new Promise<void>(resolve => void time.after(300, resolve))
      return provider === 'a'
        ? { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }
        : new SdkStream(good)
    },
    { pool: ['a', 'b'], time, health: new Health({ time }), firstChunkMs: 500, maxRetries: 0 },
  )
  await time.until(calling)
  expect(time.monotonic()).toBe(800)
})

it('keeps back no more of a frame than fits', async () => {
  const pings = Array.from({ length: 5_000 }, () => ping)
  const { value } = await call(() => new SdkStream([start, ...pings, overloaded]), { firstChunkMs: 60_000 })
  const { read } = await untilCut(value)
  expect(read).toHaveLength(5_001)
})

/** As `messages.stream()` of Anthropic: it reads by itself, and makes promises from what it read. */
class Helper {
  readonly controller = new AbortController()
  readonly #final: object
  constructor(final: object) {
    this.#final = final
  }
  async done() {}
  on() {}
  async finalMessage() {
    return this.#final
  }
  async *[Symbol.asyncIterator]() {}
}

describe('a helper of an SDK whose events nobody reads', () => {
  const helper = (stop_reason: string | null) =>
    new Helper({ type: 'message', role: 'assistant', content: [], stop_reason })

  it('rejects its promises if its stream was cut', async () => {
    const gate = new Health()
    const { value } = await call(() => helper(null), { provider: 'p', health: gate })
    await expect(value.finalMessage()).rejects.toMatchObject({
      name: 'CallFailed',
      failure: { class: 'transient', kind: 'stream_cut' },
    })
    expect((await gate.status())[0]).toMatchObject({ running: 0, breaker: { failures: 1 } })
  })

  it('keeps them if it was not, with a remark on the answer', async () => {
    const gate = new Health()
    const result = await call(() => helper('max_tokens'), { provider: 'p', health: gate })
    expect(await result.value.finalMessage()).toMatchObject({ stop_reason: 'max_tokens' })
    expect(result.finish).toEqual({ as: 'length', reason: 'max_tokens' })
    expect((await gate.status())[0]).toMatchObject({ running: 0, breaker: { failures: 0 } })
  })
})

describe('a result of the AI SDK', () => {
  class Result {
    baseStream: ReadableStream
    constructor(parts: readonly object[], isEndless = false) {
      this.baseStream = new ReadableStream({
        start(controller) {
          for (const part of parts) controller.enqueue({ part })
          if (!isEndless) controller.close()
        },
      })
    }
    get steps() {
      return Promise.resolve([{ text: 'Hi' }])
    }
    get text() {
      return this.steps.then(([step]) => step?.text)
    }
    get fullStream() {
      const [mine, rest] = this.baseStream.tee()
      this.baseStream = rest
      return mine.pipeThrough(new TransformStream({ transform: ({ part }, to) => to.enqueue(part) }))
    }
  }
  const text = { type: 'text-delta', id: '0', text: 'Hi' }
  const finish = { type: 'finish', finishReason: 'interrupted' }

  it('that the SDK finished although it was cut has an error in front of its finish', async () => {
    const { value } = await call(() => new Result([text, finish]))
    const parts = (await all(value.fullStream)) as { type: string; error?: CallFailed }[]
    expect(parts.map(({ type }) => type)).toEqual(['text-delta', 'error', 'finish'])
    expect(parts[1]?.error).toMatchObject({ failure: { kind: 'stream_cut' } })
    await expect(value.text).rejects.toMatchObject({ failure: { kind: 'stream_cut' } })
  })

  it('whose whole answer misses its schema says so, classified', async () => {
    const missed = Object.assign(new Error('No object generated: response did not match schema.'), {
      name: 'AI_NoObjectGeneratedError',
      text: '{"town":"Rome"}',
    })
    class Typed extends Result {
      get output() {
        return this.steps.then(() => Promise.reject(missed))
      }
    }
    const done = { ...finish, finishReason: 'stop' }
    const { value, attempts } = await call(() => new Typed([text, done]), {
      provider: 'p',
      health: new Health(),
    })
    expect(await all(value.fullStream)).toEqual([text, done])
    await expect(value.output).rejects.toMatchObject({
      failure: { class: 'transient', kind: 'bad_json', evidence: { excerpt: '{"town":"Rome"}' } },
      cause: missed,
    })
    expect(attempts[0]?.failure?.kind).toBe('bad_json')
  })

  it('that falls silent after it reported a failure ends with it', async () => {
    const time = new FakeTime()
    const failed = { type: 'error', error: Object.assign(new Error('Overloaded'), { statusCode: 529 }) }
    const { value } = await call(() => new Result([text, failed], true), { time })
    const { read, error } = await time.until(untilCut(value.fullStream))
    expect(read).toHaveLength(2)
    expect(error).toMatchObject({ failure: { kind: 'overloaded' } })
    expect(time.pending).toBe(0)
  })
})
