import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classify, throttleHint } from './classify.ts'
import { isFailureClass, isFailureKind } from './failure.ts'

/** Inputs that break careless readers. */
const HOSTILE: [string, () => unknown][] = [
  ['a cyclic object', () => cyclic()],
  ['a revoked proxy', () => revoked({})],
  ['a revoked proxy of a list', () => revoked([])],
  ['a proxy that throws on everything', () => new Proxy({}, throwing())],
  ['an error with a throwing message', () => Object.defineProperty(new Error('x'), 'message', { get: fail })],
  [
    'getters that throw',
    () => ({
      get message() {
        return fail()
      },
      get code() {
        return fail()
      },
      name: 'X',
    }),
  ],
  ['a null prototype', () => Object.assign(Object.create(null), { message: 'x', name: 'y' })],
  ['a symbol', () => Symbol('x')],
  ['a BigInt', () => 10n ** 400n],
  ['a function', () => () => 1],
  ['lone surrogates', () => `\ud800 rate limit \udfff`],
  [
    'an error whose cause is itself',
    () => {
      const error = new Error('x')
      error.cause = error
      return error
    },
  ],
  ['a chain of 10,000 causes', () => chain(10_000)],
  [
    'an AggregateError of 10,000',
    () => new AggregateError(Array.from({ length: 10_000 }, () => new Error('x'))),
  ],
  ['a string of ten million characters', () => 'rate limit '.repeat(1_000_000)],
  ['JSON that never closes', () => '{"error":{"message":'.repeat(20_000)],
  ['brackets without end', () => '['.repeat(200_000)],
  ['JSON nested 5,000 deep', () => `${'{"error":'.repeat(5_000)}1${'}'.repeat(5_000)}`],
  [
    'an object with 100,000 keys',
    () => Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, i])),
  ],
  ['a sparse list', () => ({ errors: new Array(4_294_967_295) })],
  ['a Date that is none', () => new Date(Number.NaN)],
  ['headers that are a number', () => ({ status: 429, headers: 7, body: 8 })],
  ['a message that is an object', () => Object.assign(new Error('x'), { message: { toString: fail } })],
  ['toJSON that throws', () => ({ error: { toJSON: fail, message: 'x' } })],
]

function fail(): never {
  throw new Error('must not be seen')
}

function cyclic(): object {
  const a: Record<string, unknown> = { message: 'x', name: 'y' }
  a.error = a
  a.cause = { errors: [a, a] }
  return a
}

function revoked(target: object): unknown {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}

function throwing(): ProxyHandler<object> {
  return { get: fail, has: fail, ownKeys: fail, getPrototypeOf: fail, getOwnPropertyDescriptor: fail }
}

function chain(length: number): Error {
  let error = new Error('innermost')
  for (let i = 0; i < length; i++) error = new Error(`layer ${i}`, { cause: error })
  return error
}

describe('classify never throws', () => {
  it.each(HOSTILE)('on %s', (_title, make) => {
    const failure = classify(make())
    expect(failure === null || isFailureClass(failure.class)).toBe(true)
    expect(() => classify({ error: make() }, { returned: true })).not.toThrow()
    expect(() => throttleHint(make())).not.toThrow()
  })

  it('on 100,000 arbitrary inputs', () => {
    const fields =
      'message name code status type error errors cause data body headers response details stdout stderr exitCode signal subtype is_error result retry_after choices candidates'.split(
        ' ',
      )
    const words = fc.constantFrom(
      '429',
      'rate limit',
      'Too Many Requests',
      'ECONNRESET',
      '{"error":{"code":1',
      'resets 3am (Europe/Berlin)',
      'try again in 5s',
      '\n',
      ' at x (y:1:1)',
      'Retrying in 5s (attempt 1/2)',
      '\u001b[31m',
      '"type":"result"',
      'invalid_request_error',
    )
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.array(words, { maxLength: 6 }).map(parts => parts.join(' ')),
    )
    const leaf = fc.oneof(
      text,
      fc.integer(),
      fc.double(),
      fc.boolean(),
      fc.constant(null),
      fc.constant(undefined),
      fc.bigInt(),
      fc.constantFrom(400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 500, 502, 503, 504, 529, -32001),
    )
    const { value } = fc.letrec(tie => ({
      value: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        leaf,
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom(...fields), tie('value'), { maxKeys: 6 }),
      ),
    }))
    const input = fc.oneof(
      value,
      fc.tuple(text, value).map(([message, cause]) => new Error(message, { cause })),
      fc.anything(),
    )
    const context = fc.record(
      {
        provider: fc.constantFrom('claude', 'openai', 'gemini-cli', 'x'),
        now: fc.constantFrom(0, 1.8e12, Number.NaN),
        returned: fc.boolean(),
        timeZone: fc.constantFrom('UTC', 'Nowhere/Land'),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(input, context, (anything, given) => {
        const failure = classify(anything, given)
        if (failure === null) return
        const valid =
          isFailureClass(failure.class) && isFailureKind(failure.kind) && !failure.message.includes('\n')
        const timely =
          failure.retryAfterMs === undefined ||
          (failure.retryAfterMs >= 0 && Number.isFinite(failure.retryAfterMs))
        expect(valid && timely).toBe(true)
      }),
      { numRuns: 100_000 },
    )
  })
})

describe('classify leaves its input alone', () => {
  it('reads every getter at most once', () => {
    const reads = new Map<string, number>()
    const watched = (target: object, path: string): object =>
      new Proxy(target, {
        get(object, key, receiver) {
          const place = `${path}.${String(key)}`
          if (typeof key === 'string') reads.set(place, (reads.get(place) ?? 0) + 1)
          const value: unknown = Reflect.get(object, key, receiver)
          return typeof value === 'object' && value !== null ? watched(value, place) : value
        },
      })
    const headers = { 'retry-after': '5' }
    const body = { error: { message: 'rate limit', type: 'tokens', code: 'rate_limit_exceeded' } }
    classify(
      watched(
        {
          name: 'X',
          message: 'y',
          status: 429,
          headers,
          response: { status: 429, headers, data: body },
          error: body,
        },
        'input',
      ),
    )
    classify(watched({ status: 429, headers, body }, 'http'))
    classify(watched({ exitCode: 1, signal: null, stdout: 'x', stderr: 'y' }, 'process'))
    classify(watched({ isError: true, content: [{ type: 'text', text: 'boom' }] }, 'value'), {
      returned: true,
    })
    const twice = [...reads].filter(
      ([place, count]) => count > 1 && !/\.(length|constructor|then)$/.test(place),
    )
    expect(twice).toEqual([])
  })

  it('changes nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const before = JSON.stringify(value)
        classify(value)
        classify(value, { returned: true })
        expect(JSON.stringify(value)).toBe(before)
      }),
    )
  })

  it('gives the same answer every time', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        expect(classify(value, { now: 1 })).toEqual(classify(value, { now: 1 }))
      }),
    )
  })
})
