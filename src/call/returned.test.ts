import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { NodeHealth as Health } from '../process/node-health.ts'
import { call } from './call.ts'

/** Unhandled rejections during a test: each would end a process. */
const unheard: unknown[] = []
const listen = (reason: unknown) => {
  unheard.push(reason)
}
beforeEach(() => {
  unheard.length = 0
  process.prependListener('unhandledRejection', listen)
})
afterEach(() => {
  process.off('unhandledRejection', listen)
})

/** Node reports unhandled rejections when the microtasks of a turn are done. */
const untilToldOfRejections = () => new Promise(resolve => setImmediate(() => setImmediate(resolve)))

const FIELDS =
  `response request usage text error errors status statusCode headers body data message name code reason
  details detail result output info exitCode stdout stderr signal cause type object content success ok`.split(
    /\s+/,
  )

const boom = () => Promise.reject(new Error('429 Too Many Requests'))

/** A result whose fields are created on access, like those of an AI SDK stream. */
function lazyResult(get: () => unknown): { result: object; read: string[] } {
  const read: string[] = []
  class Result {}
  for (const field of FIELDS)
    Object.defineProperty(Result.prototype, field, {
      get() {
        read.push(field)
        return get()
      },
    })
  return { result: new Result(), read }
}

describe('a returned value whose fields run code when they are read', () => {
  it.each<[string, () => unknown]>([
    ['make promises that reject', boom],
    [
      'throw',
      () => {
        throw new Error('not to be read')
      },
    ],
    ['give what a failure has', () => ({ type: 'rate_limit_error', isError: true })],
  ])('is left alone: getters of a class that %s', async (_what, get) => {
    const { result, read } = lazyResult(get)
    const { value } = await call(() => result, { provider: 'p', health: new Health() })
    expect(value).toBe(result)
    await untilToldOfRejections()
    expect(read).toEqual([])
    expect(unheard).toEqual([])
  })

  it('is left alone inside another value', async () => {
    const { result, read } = lazyResult(boom)
    for (const field of FIELDS.filter(name => name !== 'error')) {
      const outer = { [field]: result }
      expect((await call(() => outer, { provider: 'p', health: new Health() })).value).toBe(outer)
    }
    for (const list of [[result], [result, result], { choices: [result] }, { candidates: [result] }])
      expect((await call(() => list)).value).toBe(list)
    await untilToldOfRejections()
    expect(read).toEqual([])
    expect(unheard).toEqual([])
  })

  it('is left alone: getters of an object made by hand', async () => {
    const read: string[] = []
    const result = {
      get error() {
        read.push('error')
        return boom()
      },
      get response() {
        read.push('response')
        return boom()
      },
    }
    await call(() => result, { provider: 'p', health: new Health() })
    await untilToldOfRejections()
    expect(read).toEqual([])
    expect(unheard).toEqual([])
  })

  it.each<[string, ProxyHandler<object>]>([
    [
      'answers every field with a promise that rejects',
      { get: (_of, key) => (key === 'then' ? undefined : boom()) },
    ],
    [
      'has such fields itself',
      { get: (_of, key) => (key === 'then' ? undefined : boom()), ownKeys: () => FIELDS },
    ],
  ])('does no harm: a proxy that %s', async (_what, handler) => {
    const result = new Proxy({}, handler)
    await call(() => result, { provider: 'p', health: new Health(), maxRetries: 0 }).catch(() => {})
    await untilToldOfRejections()
    expect(unheard).toEqual([])
  })

  it('does no harm when it is thrown', async () => {
    class Failed extends Error {
      get response() {
        return boom()
      }
    }
    await expect(call(() => Promise.reject(new Failed('x')), { maxRetries: 0 })).rejects.toThrow('x')
    await untilToldOfRejections()
    expect(unheard).toEqual([])
  })

  it('still reports a failure by its own data', async () => {
    class GenerateContentResponse {
      candidates = [{ finishReason: 'SAFETY', content: {} }]
      get text() {
        throw new Error('there is none')
      }
    }
    await expect(call(() => new GenerateContentResponse(), { finish: 'strict' })).rejects.toMatchObject({
      failure: { kind: 'content_policy' },
    })
  })
})

it('does not block a provider for a row that talks about a limit', async () => {
  const health = new Health()
  const row = { name: 'Bob', message: 'I got a 429 rate limit error' }
  let tries = 0
  const { value } = await call(
    () => {
      tries++
      return row
    },
    { provider: 'p', health },
  )
  expect(value).toBe(row)
  expect(tries).toBe(1)
  expect(await health.status()).toMatchObject([{ id: 'p', admits: true, blocks: [] }])
})
