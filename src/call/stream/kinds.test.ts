import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { Feed } from '../../../test/call/stream/feed.ts'
import { NodeHealth as Health } from '../../process/node-health.ts'
import { FakeTime } from '../../testing/core/fake-time.ts'
import { call } from '../call.ts'
import type { CallFailed } from '../call-failed.ts'
import type { CallEvent } from '../event.ts'
import type { CallOptions } from '../options.ts'

interface Kind {
  name: string
  make(feed: Feed): object
  /** The chunks of what the call returned. */
  chunks(value: never): AsyncIterable<unknown>
  /** Must hold for what the call returned as well as for what the work returned. */
  isSame(value: object, made: object): boolean
  /** A waiting generator can only be stopped by its signal. */
  isGenerator?: true
}

const web = (feed: Feed, of: (chunk: unknown) => unknown = chunk => chunk, last?: unknown) =>
  new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await feed.next()
        if (done && last !== undefined) controller.enqueue(last)
        if (done) controller.close()
        else controller.enqueue(of(value))
      },
      cancel: () => feed.cancel(),
    },
    { highWaterMark: 0 },
  )

async function* decoded(body: ReadableStream<Uint8Array>) {
  for await (const chunk of body) yield new TextDecoder().decode(chunk)
}

/** As the SDKs of OpenAI and Anthropic make theirs. */
class SdkStream {
  readonly controller = new AbortController()
  readonly iterator: () => AsyncIterator<unknown>
  readonly #own = 'private'
  constructor(iterator: () => AsyncIterator<unknown>) {
    this.iterator = iterator
  }
  [Symbol.asyncIterator]() {
    if (this.#own !== 'private') throw new Error('it was taken apart')
    return this.iterator()
  }
}

/** As the AI SDK makes the result of `streamText`. */
class DefaultStreamTextResult {
  baseStream: ReadableStream
  constructor(base: ReadableStream) {
    this.baseStream = base
  }
  teeStream() {
    const [mine, rest] = this.baseStream.tee()
    this.baseStream = rest
    return mine
  }
  get textStream() {
    return this.teeStream().pipeThrough(
      new TransformStream({
        transform({ part }, controller) {
          if (part.type === 'text-delta') controller.enqueue(part.text)
        },
      }),
    )
  }
  get response() {
    return Promise.reject(new Error('nobody may ask for this'))
  }
}

/** A result that creates its streams on access, from an unknown source. */
class LazyResult {
  readonly #feed: Feed
  constructor(feed: Feed) {
    this.#feed = feed
  }
  get textStream() {
    return web(this.#feed)
  }
}

async function* generated(feed: Feed) {
  try {
    for (;;) {
      const { done, value } = await feed.next()
      if (done) return
      yield value
    }
  } finally {
    feed.cancel()
  }
}

const KINDS: readonly Kind[] = [
  {
    name: 'a web stream',
    make: feed => web(feed),
    chunks: (value: ReadableStream) => value,
    isSame: value => value instanceof ReadableStream,
  },
  {
    name: 'a stream of Node',
    make: feed =>
      new Readable({
        objectMode: true,
        highWaterMark: 1,
        read() {
          feed.next().then(
            ({ done, value }) => this.push(done ? null : value),
            error => this.destroy(error as Error),
          )
        },
        destroy(error, callback) {
          feed.cancel()
          callback(error)
        },
      }),
    chunks: (value: Readable) => value,
    isSame: (value, made) => value === made && value instanceof Readable,
  },
  {
    name: 'a generator',
    make: feed => generated(feed),
    isGenerator: true,
    chunks: (value: AsyncGenerator) => value,
    isSame: (value, made) => value === made,
  },
  {
    name: 'a generator that is asked by hand',
    make: feed => generated(feed),
    isGenerator: true,
    chunks: (value: AsyncGenerator) => ({
      [Symbol.asyncIterator]: () => ({ next: () => value.next(), return: () => value.return(undefined) }),
    }),
    isSame: (value, made) => value === made,
  },
  {
    name: 'an iterable made by hand',
    make: feed => ({ [Symbol.asyncIterator]: () => feed }),
    chunks: (value: AsyncIterable<unknown>) => value,
    isSame: (value, made) => value === made,
  },
  {
    name: 'an iterable that is frozen',
    make: feed => Object.freeze({ id: 'x', [Symbol.asyncIterator]: () => feed }),
    chunks: (value: AsyncIterable<unknown>) => value,
    isSame: value => (value as { id: string }).id === 'x',
  },
  {
    name: 'a stream of an SDK',
    make: feed => new SdkStream(() => generated(feed)),
    isGenerator: true,
    chunks: (value: SdkStream) => value as AsyncIterable<unknown>,
    isSame: (value, made) => value === made && value instanceof SdkStream,
  },
  {
    name: 'a result of the AI SDK',
    make: feed =>
      new DefaultStreamTextResult(
        web(feed, text => ({ part: { type: 'text-delta', text } }), {
          part: { type: 'finish', finishReason: 'stop' },
        }),
      ),
    chunks: (value: DefaultStreamTextResult) => value.textStream,
    isSame: (value, made) => value === made && value instanceof DefaultStreamTextResult,
  },
  {
    name: 'a result that makes its streams',
    make: feed => new LazyResult(feed),
    chunks: (value: LazyResult) => value.textStream,
    isSame: (value, made) => value === made && value instanceof LazyResult,
  },
  {
    name: 'a result with its streams',
    make: feed => ({ id: 'r', textStream: web(feed) }),
    chunks: ({ textStream }: { textStream: ReadableStream }) => textStream,
    isSame: (value, made) => value === made,
  },
  {
    name: 'a Response',
    make: feed =>
      new Response(
        web(feed, text => new TextEncoder().encode(String(text))),
        { status: 201, headers: { 'x-request-id': 'r1' } },
      ),
    chunks: (value: Response) => decoded(value.body as ReadableStream<Uint8Array>),
    isSame: value =>
      value instanceof Response && value.status === 201 && value.headers.get('x-request-id') === 'r1',
  },
]

/** Makes a call with one feed per try; returns its result and everything a test checks. */
async function called({ make }: Kind, feeds: readonly Feed[], options: CallOptions = {}) {
  const time = new FakeTime()
  const health = new Health({ time })
  const events: CallEvent[] = []
  const signals: AbortSignal[] = []
  const made: object[] = []
  const calling = call(
    ({ signal }) => {
      signals.push(signal)
      made.push(make(feeds[made.length] as Feed))
      return made.at(-1) as object
    },
    { time, health, pool: ['a', 'b'], onEvent: event => void events.push(event), ...options },
  )
  const result = await time.until(calling)
  const running = async () => (await health.status()).reduce((sum, { running }) => sum + running, 0)
  return { ...result, result, time, health, events, signals, made, running }
}

async function readAll(chunks: AsyncIterable<unknown>): Promise<unknown[]> {
  const read: unknown[] = []
  for await (const chunk of chunks) read.push(chunk)
  return read
}

/** The error of a cut stream, and what was read before. */
async function readUntilCut(chunks: AsyncIterable<unknown>) {
  const read: unknown[] = []
  try {
    for await (const chunk of chunks) read.push(chunk)
  } catch (error) {
    return { read, error: error as CallFailed }
  }
  throw new Error('it ended as if all were well')
}

const overloaded = () => Object.assign(new Error('Overloaded'), { status: 529 })

describe.each(KINDS)('$name that work returns', kind => {
  const chunksOf = (value: unknown) => kind.chunks(value as never)

  it('stays the same object, yields all its chunks, and holds its place until its end', async () => {
    const feed = new Feed().give('a', 'b')
    const { value, made, time, running, events } = await called(kind, [feed], { budgetMs: 1_000 })
    expect(kind.isSame(value, made[0] as object)).toBe(true)
    expect(await running()).toBe(1)
    const reading = readAll(chunksOf(value))
    feed.give('c').end()
    expect(await reading).toEqual(['a', 'b', 'c'])
    expect(await running()).toBe(0)
    expect(time.pending).toBe(0)
    expect(events.at(-1)).toMatchObject({ type: 'stream.ended', outcome: 'ended', chunks: 3 })
  })

  it('is cut when the budget is over', async () => {
    const feed = new Feed().give('a')
    const { value, time, running, signals } = await called(kind, [feed], { budgetMs: 1_000 })
    const { read, error } = await time.until(readUntilCut(chunksOf(value)))
    expect(read).toEqual(['a'])
    expect(error).toMatchObject({ name: 'CallFailed', failure: { class: 'timeout', effect: 'maybe' } })
    expect(time.monotonic()).toBe(1_000)
    expect(signals[0]?.aborted).toBe(true)
    if (!kind.isGenerator) expect(feed.isCancelled).toBe(true)
    expect(await running()).toBe(0)
    expect(time.pending).toBe(0)
  })

  it('is cut when it is silent for too long, which counts against its provider', async () => {
    const feed = new Feed().give('a')
    const { value, time, health, running } = await called(kind, [feed], { idleMs: 500 })
    const { error } = await time.until(readUntilCut(chunksOf(value)))
    expect(error).toMatchObject({
      name: 'CallFailed',
      failure: { class: 'timeout', kind: 'stall', provider: 'a' },
    })
    expect((await health.status())[0]?.breaker.failures).toBeGreaterThan(0)
    expect(await running()).toBe(0)
    expect(time.pending).toBe(0)
  })

  it('is cut when the caller aborts, which is no provider’s fault', async () => {
    const feed = new Feed().give('a')
    const controller = new AbortController()
    const { value, time, health, running, signals } = await called(kind, [feed], {
      signal: controller.signal,
    })
    const reading = readUntilCut(chunksOf(value))
    await time.advance(1)
    controller.abort(new Error('enough'))
    const { error } = await reading
    expect(error).toMatchObject({ name: 'CallFailed', failure: { class: 'aborted' } })
    expect(signals[0]?.aborted).toBe(true)
    expect((await health.status())[0]).toMatchObject({ breaker: { failures: 0 }, running: 0 })
    expect(await running()).toBe(0)
  })

  it('that fails midway tells its reader and its provider’s health what that means', async () => {
    const feed = new Feed().give('a')
    const cause = overloaded()
    const { value, health, events, made, attempts } = await called(kind, [feed])
    const reading = readUntilCut(chunksOf(value))
    feed.fail(cause)
    const { read, error } = await reading
    expect(read).toEqual(['a'])
    expect(error).toMatchObject({
      name: 'CallFailed',
      failure: { class: 'transient', kind: 'overloaded', provider: 'a', effect: 'maybe' },
      verdict: { action: 'cancel', rule: 'call:delivered' },
    })
    expect(error.cause).toBe(cause)
    expect(made).toHaveLength(1)
    expect(attempts[0]?.failure?.kind).toBe('overloaded')
    expect((await health.status())[0]).toMatchObject({ running: 0, breaker: { failures: 1 } })
    expect(events.at(-1)).toMatchObject({ type: 'stream.ended', outcome: 'failed', error })
  })

  it('that its reader abandons is cancelled at its source', async () => {
    const feed = new Feed().give('a', 'b')
    const { value, running, time } = await called(kind, [feed], { budgetMs: 1_000 })
    for await (const _chunk of chunksOf(value)) break
    // One half of a teed stream keeps its source for the other half, as the AI SDK requires.
    if (!kind.name.includes('AI SDK')) {
      expect(feed.isCancelled).toBe(true)
      expect(await running()).toBe(0)
      expect(time.pending).toBe(0)
    }
  })

  it('that yields nothing in time fails over, if the first chunk is waited for', async () => {
    const [silent, good] = [new Feed(), new Feed().give('a', 'b').end()]
    const { value, provider, time, signals, running } = await called(kind, [silent, good], {
      firstChunkMs: 500,
      maxRetries: 0,
    })
    expect(provider).toBe('b')
    expect(signals[0]?.aborted).toBe(true)
    expect(await readAll(chunksOf(value))).toEqual(['a', 'b'])
    expect(await running()).toBe(0)
    expect(time.pending).toBe(0)
  })

  it('that fails before its first chunk fails over, if that is waited for', async () => {
    const [bad, good] = [new Feed().fail(overloaded()), new Feed().give('a').end()]
    const { value, provider, attempts } = await called(kind, [bad, good], {
      firstChunkMs: 500,
      maxRetries: 0,
    })
    expect(provider).toBe('b')
    expect(attempts[0]?.failure?.kind).toBe('overloaded')
    expect(await readAll(chunksOf(value))).toEqual(['a'])
  })

  it('is cut once its cost is known to exceed the limit', async () => {
    const feed = new Feed().give('a')
    let charge: ((spent: { usd: number }) => void) | undefined
    const time = new FakeTime()
    const result = await call(
      context => {
        charge = context.charge
        return kind.make(feed)
      },
      { time, maxCostUsd: 1 },
    )
    const reading = readUntilCut(chunksOf(result.value))
    await time.advance(1)
    charge?.({ usd: 2 })
    // It may have been the last chunk, which is paid for.
    await time.advance(500)
    expect((await reading).error).toMatchObject({ failure: { class: 'rail', kind: 'max_budget' } })
    expect(result.costUsd).toBe(2)
    expect(result.attempts[0]?.costUsd).toBe(2)
  })
})
