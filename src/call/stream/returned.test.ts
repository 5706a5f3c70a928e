import { execFile } from 'node:child_process'
import { Duplex, PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { Feed } from '../../../test/call/stream/feed.ts'
import { NodeHealth as Health } from '../../process/node-health.ts'
import { FakeTime } from '../../testing/core/fake-time.ts'
import { call } from '../call.ts'
import type { CallFailed } from '../call-failed.ts'
import { isStream } from './returned.ts'

const iterable = (feed: Feed) => ({ [Symbol.asyncIterator]: () => feed })

async function all(chunks: unknown): Promise<unknown[]> {
  const read: unknown[] = []
  for await (const chunk of chunks as AsyncIterable<unknown>) read.push(chunk)
  return read
}

describe('is not a stream, and passed on unchanged:', () => {
  class Page {
    data = [1]
    async *iterPages() {}
    async *[Symbol.asyncIterator]() {}
  }
  class Lazy {
    get [Symbol.asyncIterator](): unknown {
      throw new Error('not to be read')
    }
  }
  const read = new ReadableStream()
  read.getReader()
  const throws = () => {
    throw new Error('not to be read')
  }

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['text', 'a stream'],
    ['a list', [new ReadableStream()]],
    ['an answer', { id: 1, choices: [] }],
    ['a date', new Date()],
    ['an error', new Error('x')],
    ['a page of a list', new Page()],
    ['a getter of a class', new Lazy()],
    ['a connection', new Duplex()],
    ['a web stream that is being read', read],
    ['a proxy that throws', new Proxy({}, { has: throws, getPrototypeOf: throws })],
    ['a Response without a body', new Response(null, { status: 204 })],
  ])('%s', async (_what, value) => {
    expect(isStream(value)).toBe(false)
  })

  it('an answer with a field of such a name', async () => {
    const value = { textStream: 'the name of a river', fullStream: 7 }
    const health = new Health()
    expect((await call(() => value, { provider: 'p', health })).value).toBe(value)
    expect((await health.status())[0]?.running).toBe(0)
  })
})

it('reads nothing before the reader does', async () => {
  const feed = new Feed().give('a').end()
  const { value } = await call(() => iterable(feed))
  const stream = await call(() => new ReadableStream({ pull: () => void feed.asked++ }, { highWaterMark: 0 }))
  expect(feed.asked).toBe(0)
  await all(value)
  expect(feed.asked).toBe(2)
  await stream.value.cancel()
})

it('keeps a byte stream readable into the reader’s own buffer', async () => {
  const bytes = new ReadableStream({
    type: 'bytes',
    pull(controller) {
      controller.enqueue(new Uint8Array([1, 2, 3]))
      controller.close()
    },
  })
  const { value } = await call(() => bytes)
  const reader = value.getReader({ mode: 'byob' })
  expect((await reader.read(new Uint8Array(2))).value).toEqual(new Uint8Array([1, 2]))
  expect((await reader.read(new Uint8Array(2))).value).toEqual(new Uint8Array([3]))
})

it('lets a Node stream be piped, also through a transform', async () => {
  const through = new PassThrough()
  const { value } = await call(() => through, { idleMs: 60_000 })
  through.write('a')
  through.end('b')
  const target = new PassThrough()
  await pipeline(value, target)
  expect(String(target.read())).toBe('ab')
})

it('admits no call while a stream holds the only slot', async () => {
  const health = new Health({ providers: [{ id: 'p', maxConcurrent: 1 }] })
  const feed = new Feed().give('a')
  const { value } = await call(() => iterable(feed), { provider: 'p', health })
  let isIn = false
  const next = call(
    () => {
      isIn = true
      return 'in'
    },
    { provider: 'p', health },
  )
  const reading = all(value)
  await new Promise(resolve => setImmediate(resolve))
  expect(isIn).toBe(false)
  feed.end()
  await reading
  expect((await next).value).toBe('in')
})

it('does not count the time that the reader takes as silence', async () => {
  const time = new FakeTime()
  const feed = new Feed().give('a', 'b').end()
  const { value } = await call(() => iterable(feed), { time, idleMs: 100 })
  const read: unknown[] = []
  for await (const chunk of value as AsyncIterable<unknown>) {
    read.push(chunk)
    await time.advance(1_000)
  }
  expect(read).toEqual(['a', 'b'])
})

it('aborts the work at the end of the budget, even if the stream is not read', async () => {
  const time = new FakeTime()
  let signal: AbortSignal | undefined
  const { value } = await call(
    context => {
      signal = context.signal
      return iterable(new Feed())
    },
    { time, budgetMs: 1_000 },
  )
  await time.advance(999)
  expect(signal?.aborted).toBe(false)
  await time.advance(1)
  expect(signal?.aborted).toBe(true)
  const [error] = await all(value).catch((error: unknown) => [error])
  expect(error).toMatchObject({ name: 'CallFailed', failure: { class: 'timeout' } })
})

it('counts against no provider when it delivered until the budget was over', async () => {
  const time = new FakeTime()
  const gate = new Health({ time, providers: [{ id: 'p', breaker: { consecutive: 1 } }] })
  const feed = new Feed().give('one')
  const { value } = await call(() => iterable(feed), { provider: 'p', health: gate, time, budgetMs: 1_000 })
  const reading = all(value).catch((error: unknown) => error)
  expect(await time.until(reading)).toMatchObject({ failure: { class: 'timeout' } })
  expect(await gate.status()).toMatchObject([{ admits: true, breaker: { failures: 0 }, running: 0 }])
})

it('says that the first chunk can be waited for, if that would have helped', async () => {
  const feed = new Feed().fail(Object.assign(new Error('Overloaded'), { status: 529 }))
  const { value } = await call(() => iterable(feed))
  await expect(all(value)).rejects.toThrow('firstChunkMs')
})

it('passes on control flow that a stream throws', async () => {
  const interrupt = Object.assign(new Error('x'), { name: 'GraphInterrupt' })
  const health = new Health()
  const { value } = await call(() => iterable(new Feed().give('a').fail(interrupt)), {
    provider: 'p',
    health,
  })
  await expect(all(value)).rejects.toBe(interrupt)
  expect((await health.status())[0]).toMatchObject({ running: 0, breaker: { failures: 0 } })
})

it('does not repeat work that is not repeatable, although nothing was delivered', async () => {
  let tries = 0
  const failed = call(
    () => {
      tries++
      return iterable(new Feed().fail(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })))
    },
    { firstChunkMs: 100, retry: 'none', time: new FakeTime() },
  )
  await expect(failed).rejects.toMatchObject({ failure: { kind: 'network' }, verdict: { action: 'cancel' } })
  expect(tries).toBe(1)
})

/** A result of the AI SDK: failures are parts of its stream. */
class Result {
  baseStream: ReadableStream
  constructor(parts: readonly object[]) {
    this.baseStream = ReadableStream.from(parts.map(part => ({ part })))
  }
  #split() {
    const [mine, rest] = this.baseStream.tee()
    this.baseStream = rest
    return mine
  }
  get fullStream() {
    return this.#split().pipeThrough(new TransformStream({ transform: ({ part }, to) => to.enqueue(part) }))
  }
  get textStream() {
    return this.#split().pipeThrough(
      new TransformStream({
        transform({ part }, to) {
          if (part.type === 'text-delta') to.enqueue(part.text)
        },
      }),
    )
  }
}

describe('a result of the AI SDK that reports a failure in its stream', () => {
  const cause = Object.assign(new Error('Overloaded'), { statusCode: 529 })
  const failing = [{ type: 'start' }, { type: 'error', error: cause }]
  const good = [{ type: 'start' }, { type: 'text-delta', text: 'hello' }, { type: 'finish' }]

  it('has the classified error in that part, and goes on to its end', async () => {
    const health = new Health()
    const { value } = await call(() => new Result(failing), { provider: 'p', health })
    const parts = (await all(value.fullStream)) as { type: string; error?: CallFailed }[]
    expect(parts.map(({ type }) => type)).toEqual(['start', 'error'])
    expect(parts[1]?.error).toMatchObject({ name: 'CallFailed', failure: { kind: 'overloaded' } })
    expect(parts[1]?.error?.cause).toBe(cause)
    expect((await health.status())[0]).toMatchObject({ running: 0, breaker: { failures: 1 } })
  })

  it('does not let its text end as if nothing happened', async () => {
    const { value } = await call(() => new Result(failing))
    await expect(all(value.textStream)).rejects.toMatchObject({ failure: { kind: 'overloaded' } })
  })

  it('fails over if the first chunk is waited for, after the frame of the stream', async () => {
    const { value, provider, attempts } = await call(
      ({ provider }) => new Result(provider === 'a' ? failing : good),
      { pool: ['a', 'b'], health: new Health(), firstChunkMs: 60_000, maxRetries: 0 },
    )
    expect(provider).toBe('b')
    expect(attempts[0]?.failure).toMatchObject({ kind: 'overloaded', provider: 'a' })
    expect(await all(value.textStream)).toEqual(['hello'])
  })
})

it('does not keep the process alive for an unread stream', async () => {
  const code = `
    import { call } from 'mulligan'
    const { value } = await call(() => new Response(new ReadableStream()), { budgetMs: 3_600_000 })
    console.log(value.status)
  `
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=mulligan-source', '--input-type=module', '-e', code],
    { cwd: fileURLToPath(new URL('../../..', import.meta.url)) },
  )
  expect(stdout.trim()).toBe('200')
})
