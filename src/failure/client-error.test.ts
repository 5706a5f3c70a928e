import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classify } from './classify.ts'
import { isRetryable } from './failure.ts'

const http = (status: number, body: unknown, headers = {}) => ({ status, headers, body })
const refused = (status: number, message: string) =>
  http(status, { error: { type: 'invalid_request_error', message } })
const kindOf = (input: unknown, returned = false) => {
  const failure = classify(input, { now: Date.UTC(2026, 10, 17, 12), timeZone: 'UTC', returned })
  return failure && `${failure.class}/${failure.kind}`
}

/** Statuses that blame the request. */
const BLAMING = Array.from({ length: 100 }, (_, index) => 400 + index).filter(
  status => ![402, 408, 409, 423, 425, 429].includes(status),
)
/** What products say about their fields. Each has a word that elsewhere means a failure that passes. */
const SENTENCES = [
  'capacity must be between 1 and 10',
  'timeout must be a positive integer',
  'The connection string is not valid',
  'rate limit must be greater than 0',
  'quota should be an integer',
  'The queue name may only contain letters',
  'Field "busy" is not allowed',
  'maintenance window must not overlap',
  'The network property is required',
  'retry is not a valid option',
  'The overloaded method expects two arguments',
  'lock is a reserved word',
  'Server name must be set',
  'A temporary address is not supported',
  'The daily limit field must be at most 100',
  'Too many items in the basket: at most 20 are allowed',
  'The limit of 5 seats per table was reached',
  'The loading dock is closed on Sundays',
  'conflict_policy must be one of skip, fail',
]

describe('a client error', () => {
  it('is not overturned by a sentence of ordinary product English', () => {
    for (const [index, status] of BLAMING.entries())
      for (const sentence of status < 430 ? SENTENCES : SENTENCES.slice(index % 10, (index % 10) + 4)) {
        const failure = classify(refused(status, sentence))
        expect([status, sentence, failure && isRetryable(failure)]).toEqual([status, sentence, false])
      }
  })

  it('is not overturned by several of them together', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...BLAMING),
        fc.subarray(SENTENCES, { minLength: 1, maxLength: 4 }),
        (status, said) => {
          const failure = classify(refused(status, said.join('. ')))
          expect(failure && isRetryable(failure)).toBe(false)
        },
      ),
      { numRuns: 100 },
    )
  })

  it.each([
    [
      403,
      'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
      'rate_limit',
    ],
    [
      400,
      'You have reached your specified API usage limits. You will regain access on 2026-12-01',
      'usage_limit',
    ],
    [403, 'Quota exceeded for quota metric Queries and limit Queries per minute', 'quota'],
    [400, 'Maximum number of concurrent executions for this workflow reached', 'rate_limit'],
    [400, '请求过于频繁，请稍后再试', 'rate_limit'],
  ])('%i is overturned by a limit with its unit: %s', (status, message, kind) => {
    expect(kindOf(refused(status, message))).toBe(`throttle/${kind}`)
  })

  it('is overturned by money and by an overload of the service', () => {
    expect(kindOf(refused(400, 'Your credit balance is too low'))).toBe('throttle/billing')
    expect(kindOf(refused(400, 'The model is currently overloaded'))).toBe('transient/overloaded')
  })

  it('counts where a program prints it, for its own line', () => {
    const git = "fatal: unable to access 'https://example.com/a.git/': The requested URL returned error: 403"
    expect(kindOf({ exitCode: 128, signal: null, stdout: '', stderr: git })).toBe('permanent/forbidden')
  })
})

describe('money', () => {
  it.each([
    'Rate limit reached: insufficient balance, please top up your account',
    'Your coding plan has expired. Please renew your subscription',
    'user quota is not enough, rate limit applies',
  ])('beats a limit named beside it: %s', message => {
    expect(kindOf(http(429, { error: { message } }))).toBe('throttle/billing')
  })

  it('does not, if the text says per time', () => {
    const message = 'Rate limit of 10 requests per minute: not enough credits for more'
    expect(kindOf(http(429, { error: { message } }))).not.toBe('throttle/billing')
  })

  it('is not proven by the sentence about plan and billing alone', () => {
    const message = 'You exceeded your current quota, please check your plan and billing details.'
    expect(kindOf(http(429, { error: { message } }))).toBe('throttle/quota')
    expect(kindOf(http(429, { error: { message, code: 'insufficient_quota' } }))).toBe('throttle/billing')
  })
})

describe('the deepest specific cause', () => {
  const named = (name: string, message: string, more: object = {}) =>
    Object.assign(new Error(message), { name, ...more })
  const zod = named('ZodError', '[{"code":"invalid_type","expected":"string","message":"Required"}]')
  it.each([
    [
      'a tail',
      named('Error', 'failed\nStatus code: 500\nBody: {"error":{"type":"authentication_error"}}'),
      'permanent/auth',
    ],
    [
      'cut JSON',
      http(500, '{"error":{"message":"{\\"error\\":{\\"code\\":\\"insufficient_quota\\",\\"mess'),
      'throttle/billing',
    ],
    [
      'a typed SDK error',
      named('AI_TypeValidationError', 'Type validation failed', { cause: zod }),
      'transient/bad_json',
    ],
    [
      'no object',
      named('AI_NoObjectGeneratedError', 'No object generated', { cause: zod }),
      'transient/bad_json',
    ],
    ['no JSON', named('AI_APICallError', 'Invalid JSON response', { cause: zod }), 'transient/bad_json'],
  ])('is found: %s', (_what, input, kind) => {
    expect(kindOf(input)).toBe(kind)
  })
})

describe('failures that travel as success', () => {
  const claude = {
    type: 'result',
    subtype: 'success',
    is_error: false,
    num_turns: 2,
    session_id: 's-1',
    result: 'done',
  }
  it.each([
    [{ code: 'rate_limited', message: 'Too many requests' }],
    [{ name: 'TimeoutError', message: 'The operation timed out' }],
    [{ name: 'HttpError', message: 'Bad credentials' }],
    [{ result: { status: 'error' } }],
    [{ status: 'error', summary: 'failed' }],
    [{ usageMetadata: { promptTokenCount: 5 }, modelVersion: 'gemini-x' }],
    [{ usageMetadata: { promptTokenCount: 5 }, candidates: [] }],
  ])('%j', value => {
    expect(kindOf(value, true)).not.toBeNull()
  })

  it.each([
    [{ code: 'SAVE10', message: '10 % off your next order' }],
    [{ name: 'TimeoutError', message: 'the talk about timeouts starts at nine' }],
    [{ result: { status: 'done' } }],
    [{ status: 'ok', summary: 'no test failed' }],
    [{ usageMetadata: {}, modelVersion: 'gemini-x', candidates: [{ finishReason: 'STOP' }] }],
    [{ usageMetadata: { promptTokenCount: 5 }, embedding: { values: [0.1] } }],
    [{ candidates: [], position: 'engineer' }],
  ])('but not %j', value => {
    expect(kindOf(value, true)).toBeNull()
  })

  it('a result cut by a byte at exit code 0', () => {
    const whole = JSON.stringify(claude)
    const run = (stdout: string) => kindOf({ exitCode: 0, signal: null, stderr: '', stdout })
    expect(run(whole)).toBeNull()
    expect(run(whole.slice(0, -1))).toBe('transient/bad_json')
  })

  it.each([
    ['claude', JSON.stringify(claude), 20],
    [
      'claude',
      '{"type":"result","subtype":"error_during_execution","is_error":true,"session_id":"s","errors":["x"]}',
      20,
    ],
    ['claude', '{"type":"system","subtype":"init","session_id":"s-1","tools":[]}', 20],
    ['codex', '{"type":"thread.started","thread_id":"t-1"}', 24],
    ['gemini-cli', '{"response":"I changed the file","stats":{}}', 14],
    ['gemini', '{\n  "session_id": "x",\n  "response": "I changed the file",\n  "stats": {}\n}', 44],
  ])('what %s prints, cut wherever after it said what it is: %s', (provider, stdout, from) => {
    for (let end = from; end < stdout.lastIndexOf('}'); end++) {
      const cut = { exitCode: 0, signal: null, stderr: '', stdout: stdout.slice(0, end) }
      expect([end, classify(cut, { provider })]).not.toEqual([end, null])
    }
  })

  it('a whole answer of an agent CLI that is one error sentence', () => {
    const run = (stdout: string) =>
      classify({ exitCode: 0, signal: null, stderr: '', stdout }, { provider: 'aider' })?.kind
    expect(run('Error: No API key configured')).toBe('auth')
    expect(run('TypeError: x is not a function is thrown in line 3.')).toBeUndefined()
  })
})

describe('a header that says it outright', () => {
  it.each([
    [http(529, 'overloaded', { 'x-should-retry': 'false' }), 'permanent/server_error'],
    [http(400, '', { 'x-should-retry': 'true' }), 'transient/server_error'],
    [http(429, '', { 'x-should-retry': 'false' }), 'throttle/rate_limit'],
    [http(403, '', { ratelimit: '"d";r=0;t=7' }), 'throttle/rate_limit'],
    [http(403, '', { ratelimit: '"d";r=4;t=7' }), 'permanent/forbidden'],
    [http(302, '', { location: 'https://sso.example.com/authorize' }), 'permanent/auth'],
    [http(302, '', { location: 'https://example.com/files/1' }), null],
  ])('%j', (input, kind) => {
    expect(kindOf(input)).toBe(kind)
  })

  it('states the time, or the window of its policy', () => {
    const waitOf = (headers: object) => classify(http(429, '', headers))?.retryAfterMs
    expect(waitOf({ ratelimit: '"d";r=0;t=7' })).toBe(7_000)
    expect(waitOf({ ratelimit: '"d";r=0', 'ratelimit-policy': '"d";q=9;w=60' })).toBe(60_000)
    expect(waitOf({ ratelimit: 'limit=9, remaining=0, reset=30' })).toBe(30_000)
  })
})

describe('what was not known before', () => {
  it.each([
    ['ERROR: Permission to acme/site.git denied to bob.', 'permanent/forbidden'],
    ['request to https://api.example.com/v1 failed', 'transient/network'],
    ['Te veel verzoeken, probeer het later opnieuw', 'throttle/rate_limit'],
    ['Příliš mnoho požadavků', 'throttle/rate_limit'],
    ['Çok fazla istek gönderildi', 'throttle/rate_limit'],
    ['Quá nhiều yêu cầu', 'throttle/rate_limit'],
    ['Terlalu banyak permintaan', 'throttle/rate_limit'],
    ['Prompt has 9000 tokens, but the configured context size is 4096', 'permanent/context_overflow'],
  ])('%s', (text, kind) => {
    expect(kindOf(new Error(text))).toBe(kind)
  })

  it('a time in brackets, and one to the minute that has begun', () => {
    const waitOf = (stderr: string) =>
      classify(
        { exitCode: 1, signal: null, stdout: '', stderr },
        { provider: 'codex', now: Date.UTC(2026, 10, 17, 14, 47, 30), timeZone: 'UTC' },
      )?.retryAfterMs
    expect(waitOf('Rate limit reached, retry later (in 1m16s)')).toBe(76_000)
    expect(waitOf("You've hit your usage limit. Try again at 2:47 PM.")).toBe(30_000)
  })
})

it('never throws on a revoked proxy, wherever it stands', () => {
  let made = 0
  const revoked = () => {
    const target: object = ++made % 2 ? {} : () => {}
    const { proxy, revoke } = Proxy.revocable(target, {})
    revoke()
    return proxy
  }
  // fast-check itself cannot hold a revoked proxy, so the leaves become one only in the test.
  const tree = fc.letrec(tie => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constant('leaf'),
      fc.dictionary(
        fc.constantFrom('error', 'cause', 'body', 'status', 'message', 'stdout', 'exitCode', 'result'),
        tie('value'),
        { maxKeys: 3 },
      ),
      fc.array(tie('value'), { maxLength: 2 }),
    ),
  })).value
  const grown = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(grown)
    if (typeof node !== 'object' || node === null) return revoked()
    return Object.fromEntries(Object.entries(node).map(([name, inner]) => [name, grown(inner)]))
  }
  fc.assert(
    fc.property(tree, fc.boolean(), (node, returned) => {
      classify(grown(node), { returned })
      classify(new Error('x', { cause: grown(node) }), { returned })
    }),
    { numRuns: 200 },
  )
  expect(classify(new Error('x'), revoked())?.class).toBe('unknown')
  for (const field of ['provider', 'model', 'now', 'timeZone', 'signatures', 'own', 'returned', 'classifier'])
    for (const _ of [1, 2])
      expect(classify(new Error('429 Too Many Requests'), { [field]: revoked() })?.class).toBe('throttle')
})

describe('sentences of ordinary products, written before anybody looked at the rules', () => {
  const SENTENCES = [
    'The delivery slot you picked is already taken by another courier',
    'Your cart has too many items for express shipping',
    'The warehouse is temporarily closed for stocktaking and cannot be chosen as origin',
    'Gift cards expire after 24 hours and this one was issued last year',
    'A coupon may be redeemed once per customer per day',
    'The connection name must be unique within the workspace',
    'Retry policy "aggressive" is unknown; pick none, linear or exponential',
    'Timeout has to be a whole number of seconds',
    'The queue name may contain letters, digits and dashes',
    'Maximum capacity of the meeting room is 12 people',
    'You are trying to book a flight that has departed',
    'Too many decimals in amount',
    'Server name is missing from the certificate request',
    'The requested network does not belong to this project',
    'Rate must be given as a percentage between 0 and 100',
    'The billing address does not match the postcode',
    'Balance sheets can be exported as PDF only',
    'The credit note refers to an invoice that is closed',
    'Overload protection relays need a model number',
    'The backup window overlaps with the maintenance window',
    'Session length cannot be shorter than five minutes',
    'Please wait for the approval of your manager before submitting expenses',
    'This seat is temporarily reserved; choose another seat',
    'The proxy voter is not registered',
    'Unavailable dates were selected: 3 May, 4 May',
    'The stream of consciousness essay is limited to 500 words',
    'Try again with a shorter title',
    'The quota field accepts positive integers',
    'Your request to join the club was declined by the owner',
    'Limit orders need a price',
    'The gateway device with this serial number is not paired',
    'Dead letter address is not an e-mail',
    'The lock code has to have four digits',
    'Crash reports must be gzip compressed',
    'Internal notes cannot be sent to customers',
    'The upstream branch of this pull request was deleted',
    'Conflict of interest form is missing',
    'Loading dock 7 is not in this building',
    'Interrupted service surveys are not scored',
    'Reset tokens must be 32 characters',
  ]
  const COMMON = new Set([400, 401, 403, 404, 413, 422])
  const PASS = new Set([402, 408, 409, 420, 421, 423, 425, 429, 460, 498, 499])
  const statuses = Array.from({ length: 100 }, (_, index) => 400 + index).filter(status => !PASS.has(status))

  it.each(SENTENCES)('make no client error retryable: %s', message => {
    // Every status meets some sentences, every sentence the common statuses.
    const met = statuses.filter(status => COMMON.has(status) || status % 8 === message.length % 8)
    const classes = met.flatMap(status =>
      [{ error: { type: 'invalid_request_error', message } }, { message }, message].map(
        body => classify({ status, headers: {}, body })?.class,
      ),
    )
    expect(new Set(classes)).toEqual(new Set(['permanent']))
  })
})

describe('a 429', () => {
  it('stays a throttle although its words say what broke behind it, unless the service is overloaded', () => {
    const under = (message: string) => classify({ status: 429, headers: {}, body: { error: { message } } })
    expect(under('Order 17 created, but the mail failed: connect ECONNREFUSED')).toMatchObject({
      class: 'throttle',
      effect: 'maybe',
    })
    expect(under('upstream timed out')?.class).toBe('throttle')
    expect(under('The service is overloaded')?.kind).toBe('overloaded')
  })

  it('that counts per minute is no bill to pay, although it offers a faster plan', () => {
    const message =
      'Limit of 3 requests per minute reached for free accounts. Add a payment method to go faster.'
    expect(classify({ status: 429, headers: {}, body: { error: { message } } })?.kind).toBe('rate_limit')
    expect(classify(new Error('Please add a payment method to continue'))?.kind).toBe('billing')
  })

  it('is known by its type in JSON that breaks off', () => {
    const cut =
      'Upstream 502: {"error":{"type":"rate_limit_error","message":"Number of request tokens has exceeded your per-min'
    expect(classify(new Error(cut))?.class).toBe('throttle')
  })
})

describe('a report of a bug', () => {
  const reported = (line: string) => {
    const failure = classify({ exitCode: 1, signal: null, stdout: '', stderr: line })
    return failure && `${failure.class}/${failure.kind}`
  }

  it.each([
    "AttributeError: 'RateLimitError' object has no attribute 'retry_after'",
    "TypeError: Client.__init__() got an unexpected keyword argument 'connect_timeout'",
    'java.lang.NullPointerException: Cannot invoke "com.example.Overloaded.retry()" because "this.server" is null',
    "undefined method `rate_limit' for nil:NilClass (NoMethodError)",
    'java.lang.ClassCastException: class com.x.Timeout cannot be cast to class com.x.Overloaded',
    '** (FunctionClauseError) no function clause matching in MyApp.RateLimit.check/2',
    'java.lang.IllegalArgumentException: RateLimiter name must not be null',
  ])('is no throttle and no outage, although names in the code sound like one: %s', line =>
    expect(reported(line)).toMatch(/^permanent.(?:code_bug|invalid_request)$/),
  )

  it.each([
    [
      "KeyError: 'choices' in {'message': 'Rate limit reached for requests per minute'}",
      'throttle/rate_limit',
    ],
    ['TypeError: fetch failed', 'transient/network'],
    ['NameError: name x is not defined\nError: 429 Too Many Requests', 'throttle/rate_limit'],
  ])('gives way to a cause that is told beside it: %s', (text, kind) => expect(reported(text)).toBe(kind))
})

describe('a code that blames what it names', () => {
  it.each(['InvalidCapacity', 'UnsupportedThroughputCapacity', 'MissingTimeout', 'invalid_high_demand'])(
    'is no failure that passes: %s',
    name => {
      const failure = classify(Object.assign(new Error('it was refused'), { name }))
      expect(failure && isRetryable(failure)).toBe(false)
    },
  )

  it('is another than one that names the state of the service', () => {
    expect(kindOf(Object.assign(new Error('it was refused'), { name: 'InsufficientCapacity' }))).toMatch(
      /^transient/,
    )
  })
})

describe('a lock under a 4xx', () => {
  it('passes if work of a machine holds it, and not if a person or a name does', () => {
    for (const holder of ['another operation', 'a running deployment', 'another process', 'a pending update'])
      expect(kindOf(refused(400, `the resource is locked by another operation: ${holder}`))).toBe(
        'transient/lock',
      )
    for (const said of ['The account is locked by an administrator', 'This seat is used by another person'])
      expect(kindOf(refused(400, said))).toMatch(/^permanent/)
  })
})

describe('a rule for a field', () => {
  it('is no failure that passes, with or without a status', () => {
    for (const sentence of SENTENCES.filter(each => / (?:must|should) be /.test(each)))
      for (const input of [
        new Error(sentence),
        { errors: [{ code: 'E_VALIDATION', message: sentence }] },
        { exitCode: 1, signal: null, stdout: '', stderr: `error: ${sentence}` },
      ]) {
        const failure = classify(input)
        expect(failure && isRetryable(failure), sentence).toBe(false)
      }
  })

  it('is told above advice about quotas', () => {
    const advice = 'Consider a region with greater capacity, or request an increase in quota.'
    const stderr = `HTTP Error: 400, Invalid value specified for cpu.\n${advice}`
    expect(kindOf({ exitCode: 1, signal: null, stdout: '', stderr })).toMatch(/^permanent/)
  })
})
