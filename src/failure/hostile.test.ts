import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codePoint } from '../../test/code-point.ts'
import { classify, throttleHint } from './classify.ts'
import { type Failure, isFailureClass, isFailureKind } from './failure.ts'
import { shapeOf } from './fingerprint/shape.ts'
import { redact } from './redact.ts'

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

/** Arbitrary inputs of each part; the suite tries some of them, FC_PARTS=10 npm test all. */
const INPUTS = process.env.FC_PARTS === undefined ? 500 : 10_000

/** Its fingerprint is made when it is read. */
function isWhole(failure: Failure): boolean {
  return isFailureClass(failure.class) && failure.fingerprint.startsWith('fp')
}

describe('classify never throws', () => {
  it.each(HOSTILE)('on %s', (_title, make) => {
    const failure = classify(make())
    expect(failure === null || isWhole(failure)).toBe(true)
    expect(() => classify({ error: make() }, { returned: true })).not.toThrow()
    expect(() => throttleHint(make())).not.toThrow()
  })

  // Each part has its own cases and stays far below the test time limit on a busy machine.
  it.each([...Array(Number(process.env.FC_PARTS ?? 1)).keys()])(
    `on ${INPUTS} arbitrary inputs, part %i`,
    part => {
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
        fc.string({ unit: codePoint, maxLength: 40 }),
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
          const valid = isWhole(failure) && isFailureKind(failure.kind) && !failure.message.includes('\n')
          const timely =
            failure.retryAfterMs === undefined ||
            (failure.retryAfterMs >= 0 && Number.isFinite(failure.retryAfterMs))
          expect(valid && timely).toBe(true)
        }),
        { numRuns: INPUTS, seed: (fc.readConfigureGlobal()?.seed ?? 0) + part },
      )
    },
  )
})

const TRAPS = ['get', 'has', 'ownKeys', 'getOwnPropertyDescriptor', 'getPrototypeOf'] as const

/** Whatever `chances` decide: a proxy that is or becomes revoked, or whose traps fail now and then. */
function proxied(target: object, chance: () => number, revocations: (() => void)[]): object {
  if (chance() < 0.3) {
    const { proxy, revoke } = Proxy.revocable(target, {})
    if (chance() < 0.5) revoke()
    else revocations.push(revoke)
    return proxy
  }
  const failing = chance() * 0.6
  const traps = TRAPS.filter(() => chance() < 0.5).map(trap => [
    trap,
    (...given: unknown[]) => {
      if (chance() < failing) throw chance() < 0.5 ? null : new Error('must not be seen')
      return (Reflect[trap] as (...given: unknown[]) => unknown)(...given)
    },
  ])
  return new Proxy(target, Object.fromEntries(traps))
}

function withProxies(value: unknown, chance: () => number, revocations: (() => void)[]): unknown {
  if (typeof value !== 'object' || value === null) return value
  const inside = (each: unknown) => withProxies(each, chance, revocations)
  const copy =
    value instanceof Error
      ? Object.assign(new Error(value.message), { cause: inside(value.cause) })
      : Array.isArray(value)
        ? value.map(inside)
        : Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inside(each)]))
  return chance() < 0.4 ? proxied(copy, chance, revocations) : copy
}

describe('classify never throws on proxies', () => {
  it('that fail or are revoked anywhere, before or while they are read', () => {
    const failures = [
      Object.assign(new Error('429 rate limit'), {
        cause: { status: 429, error: { type: 'x', details: [{}] } },
      }),
      { status: 503, headers: { 'retry-after': '7' }, body: { error: { message: 'busy', code: 1 } } },
      { exitCode: 1, signal: null, stdout: '', stderr: 'Error: connect ECONNREFUSED' },
      { content: [{ type: 'text', text: 'HTTP 429' }], isError: true },
      { choices: [{ finish_reason: 'length', message: { content: 'a' } }] },
      { errors: [{ message: 'a' }, { failure: { class: 'throttle', evidence: { lost: [] } } }] },
    ]
    fc.assert(
      fc.property(
        fc.constantFrom(...failures),
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
        fc.boolean(),
        (failure, chances, returned) => {
          const chance = () => chances.next().value as number
          const revocations: (() => void)[] = []
          const input = withProxies(failure, chance, revocations)
          for (const ask of [classify, throttleHint, classify]) {
            const answer = ask(input, { returned })
            expect(answer === null || isWhole(answer)).toBe(true)
            for (const revoke of revocations.splice(0, 1)) revoke()
          }
        },
      ),
      { numRuns: process.env.FC_PARTS === undefined ? 150 : 10_000 },
    )
  })
})

/** Pieces that a backtracking pattern would stumble over. */
const ATOMS = [
  ...[
    ' ',
    '\t',
    '\n',
    '\r',
    ' \n',
    '\\',
    '"',
    "'",
    '.',
    '-',
    '_',
    ':',
    '=',
    '/',
    '<',
    '{',
    '[',
    '(',
    '0',
    '1,',
    'a',
    'A',
  ],
  ...[
    'a-',
    'a_',
    'a.',
    '│ ',
    ' │',
    '──',
    '╭──',
    '\x1b[',
    '\x1b[0;',
    '{"',
    '["',
    '[{',
    '{"a":',
    '}\n',
    '\\"',
    '“',
    '中',
  ],
  ...[
    'eyJ',
    'eyJa.',
    'eyJ-',
    'key_',
    'key=',
    'key: ',
    'cookie: ',
    'cookie: a',
    'token ',
    'bearer ',
    'basic=',
    'sk-',
    'sk-a1',
    'ghp_',
  ],
  ...[
    'authorization: ',
    'authorization: digest ',
    'a://',
    'a://b@',
    '-----BEGIN ',
    '-----BEGIN PRIVATE KEY-----',
    '-----END PRIVATE KEY-----',
  ],
  ...[
    '\n-----END PRIVATE KEY-----',
    'password="',
    "password='\\",
    '--token ',
    '-u a:',
    '/bot',
    '.org/bot',
    '&a',
    '?sig=',
    '1:AA',
  ],
  ...[
    'code',
    'code:',
    'status ',
    'exit ',
    'error ',
    'Error: ',
    'HTTP ',
    'SIGTERM',
    '429 ',
    'limit 1',
    'Requested ',
    'websocket ',
    'closed ',
  ],
  ...[
    'retry ',
    'retrying\n',
    'x\nretrying\n',
    'retry after ',
    'try again in 1',
    '1h',
    '1 h and ',
    'resets at ',
    'until ',
    '将于',
    'in an hour',
  ],
  ...[
    'data: {\n',
    '\ndata:',
    'event:',
    'File "',
    'at ',
    '--resume ',
    'Tokens: ',
    'rate-limit',
    'f:',
    '::',
    '0x',
    'a@',
    'a/',
    '../',
    "it's ",
  ],
  ...[
    'REDACTED',
    '***',
    '***REDACTED***',
    '--JSON Event--',
    '[API Error: ',
    '<title>',
    'Error: x\nretrying\n',
    '\ud800',
    '\u202e',
  ],
]

const PUMPED: [string, (text: string) => unknown][] = [
  ['a plain string', text => text],
  ['the message of an error', text => new Error(`rate limit ${text}!`)],
  ['the stderr of a process', text => ({ exitCode: 1, signal: null, stdout: '', stderr: `Error: ${text}!` })],
  ['the stdout of a success', text => ({ exitCode: 0, signal: null, stdout: `${text}!`, stderr: text })],
  ['the body of an answer', text => ({ status: 500, headers: {}, body: `${text}!` })],
  [
    'the fields of a body',
    text => ({ status: 429, headers: {}, body: { error: { message: text, code: text } } }),
  ],
  ['a string in broken JSON', text => `x {"error": "${text}\n"} y`],
  [
    'a header',
    text => ({
      status: 429,
      headers: {
        'retry-after': text,
        'x-ratelimit-reset': text,
        [`x-ratelimit-${text}`]: text,
        ratelimit: text,
      },
    }),
  ],
]

/** Characters of each text: enough for a cubic pattern to show. FC_PARTS=10 npm test takes longer ones, for quadratic ones. */
const LENGTH = process.env.FC_PARTS === undefined ? 4_096 : 65_536

/** No clock is read: a backtracking pattern would hit this time limit on that much text. */
const LIMIT_MS = process.env.FC_PARTS === undefined ? 30_000 : 120_000

describe('classify is linear in hostile text', { timeout: LIMIT_MS }, () => {
  it.each(PUMPED)('in %s', (_title, wrap) => {
    for (const atom of ATOMS) {
      const input = wrap(atom.repeat(Math.ceil(LENGTH / atom.length)))
      const failure = classify(input, { now: 1.8e12, timeZone: 'UTC', provider: 'claude' })
      expect(failure === null || isWhole(failure), atom).toBe(true)
    }
  })

  it('in a body of half a million empty lines', () => {
    for (const line of ['\n', '\r\n', ' \n'])
      expect(classify({ status: 502, headers: {}, body: `<html>${line.repeat(524_288)}` })).toMatchObject({
        class: 'transient',
      })
  })

  it('redacts four times as much of each', () => {
    for (const atom of ATOMS) {
      const text = atom.repeat(Math.ceil((4 * LENGTH) / atom.length))
      expect(redact(`${text}!`).length, atom).toBeGreaterThan(0)
      expect(shapeOf(`${text}!`).length, atom).toBeLessThan(10_000)
    }
  })
})

describe('classify reads bytes', () => {
  const said = 'Error: rate limit exceeded, try again in 10s'
  it.each<[string, unknown]>([
    ['a Buffer as stderr', { exitCode: 1, signal: null, stdout: '', stderr: Buffer.from(said) }],
    [
      'an ArrayBuffer as stderr',
      { exitCode: 1, signal: null, stderr: new TextEncoder().encode(said).buffer },
    ],
    [
      'a Buffer as the body',
      { status: 400, headers: {}, body: Buffer.from(`{"error":{"message":"${said}"}}`) },
    ],
    ['a Buffer as the data of an error', Object.assign(new Error('x'), { data: Buffer.from(said) })],
    [
      'a DataView as the body of an error',
      Object.assign(new Error('x'), { body: new DataView(new TextEncoder().encode(said).buffer) }),
    ],
    [
      '50 MB, of which the end counts',
      Object.assign(new Error('x'), {
        body: Buffer.concat([Buffer.alloc(50_000_000, 120), Buffer.from(`\n${said}`)]),
      }),
    ],
  ])('%s', (_title, input) => {
    expect(classify(input)).toMatchObject({ class: 'throttle', retryAfterMs: 10_000 })
  })

  it('and never lists their elements', () => {
    const bytes = new Uint8Array(50_000_000)
    expect(classify(bytes)).toMatchObject({ class: 'unknown' })
    expect(classify({ error: { payloads: bytes, message: 'rate limit' } }, { returned: true })?.class).toBe(
      'throttle',
    )
  })
})

describe('classify on objects that lie', () => {
  it('reads each element of a list once', () => {
    const reads = new Map<string, number>()
    const list = (items: unknown[]) =>
      new Proxy(items, {
        get(target, key, receiver) {
          if (typeof key === 'string' && /^\d+$/.test(key)) reads.set(key, (reads.get(key) ?? 0) + 1)
          return Reflect.get(target, key, receiver)
        },
      })
    classify({ choices: list([{ finish_reason: 'length' }]) }, { returned: true })
    classify({ candidates: list([{ finishReason: 'SAFETY' }]) }, { returned: true })
    classify({ errors: list([{ message: 'x' }]), name: 'y', message: 'z' })
    classify({ isError: true, content: list([{ type: 'text', text: 'boom' }]) }, { returned: true })
    classify(list([{ error: { message: 'x' } }]), { returned: true })
    expect([...reads]).toEqual([['0', 5]])
  })

  it('reads stderr if stdout is a revoked proxy', () => {
    const failure = classify({
      exitCode: 1,
      signal: null,
      stdout: revoked({}),
      stderr: 'rate limit exceeded',
    })
    expect(failure?.class).toBe('throttle')
  })

  it('reads fields on the prototype and fields that are not enumerable', () => {
    class Refused extends Error {
      get statusCode() {
        return 429
      }
      get body() {
        return { error: { message: 'insufficient balance' } }
      }
    }
    expect(classify(new Refused('x'))).toMatchObject({ kind: 'billing', status: 429 })
    const got = new Error('x')
    Object.defineProperty(got, 'response', {
      value: { statusCode: 429, headers: { 'retry-after': '7' }, body: '' },
    })
    expect(classify(got)).toMatchObject({ class: 'throttle', status: 429, retryAfterMs: 7_000 })
    const suppressed = new Error('x')
    Object.defineProperty(suppressed, 'suppressed', { value: new Error('rate limit exceeded') })
    expect(classify(suppressed)?.class).toBe('throttle')
    expect(classify(new Error('x', { cause: 'rate limit exceeded' }))?.class).toBe('throttle')
  })

  it.each<[string, unknown]>([
    ['null', null],
    ['a number', 42],
    ['a string', 'x'],
    [
      'fields of wrong types',
      { provider: 42, model: {}, now: 'x', timeZone: 42, signatures: {}, own: 7, returned: 'x' },
    ],
    ['an unknown zone', { timeZone: 'Nowhere/Land', now: 1.8e12 }],
    ['a map of rubbish', { provider: 'x', signatures: new Map([['x', 7]]) }],
    ['a rail that is none', { own: { rail: 'max_nonsense' } }],
    [
      'getters that throw',
      {
        get provider() {
          return fail()
        },
      },
    ],
    ['a revoked proxy', revoked({})],
  ])('ignores a context that is %s', (_title, context) => {
    for (const input of [
      'rate limit, resets 3am',
      new Error('boom'),
      { exitCode: 1, stdout: '', stderr: 'x' },
    ]) {
      const failure = classify(input, context as never)
      expect(failure && isFailureKind(failure.kind)).toBe(true)
      expect(() => throttleHint(input, context as never)).not.toThrow()
    }
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
