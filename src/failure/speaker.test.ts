import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { healthOf } from '../verdict/decide.ts'
import { classify } from './classify.ts'
import type { ClassifyContext } from './context.ts'
import type { Failure } from './failure.ts'
import { Signatures } from './signature.ts'
import { SPEAKERS, type Speaker } from './speaker.ts'

const NOW = Date.UTC(2026, 10, 17, 12)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const failureOf = (input: unknown, more: ClassifyContext = {}) =>
  classify(input, { now: NOW, timeZone: 'UTC', ...more }) as Failure
const http = (status: number, body: unknown, headers = {}) => ({ status, headers, body })
const answered = (status: number, message: string, more = {}) =>
  Object.assign(new Error(message), { status, ...more })
const ended = (output: object) => ({ exitCode: 1, signal: null, stdout: '', stderr: '', ...output })
const tool = (text: string) => ({ isError: true, content: [{ type: 'text', text }] })
const result = (answer: string, more: object) =>
  JSON.stringify({
    type: 'result',
    subtype: 'success',
    session_id: 's-1',
    total_cost_usd: 0.02,
    ...more,
    result: answer,
  })
const failedRun = (text: string) => ended({ stdout: result(text, { is_error: true, num_turns: 3 }) })
const goodRun = (text: string, more: object = { num_turns: 1, total_cost_usd: 0 }) =>
  ended({ exitCode: 0, stdout: result(text, { is_error: false, ...more }) })

/** Until when a failure shuts its provider out, in milliseconds from now. */
function blockOf(failure: Failure): number {
  const { blockUntil } = healthOf(failure, { now: NOW, credentialKnown: true })
  return blockUntil === 'cleared' ? Infinity : (blockUntil ?? NOW) - NOW
}

const signatures = (pattern: string) => new Signatures('', { throttle: [pattern] })
const LIMIT = "You've hit your weekly limit · resets Dec 20"
const refused = Object.assign(new Error('connect ECONNREFUSED 192.0.2.1:443'), {
  code: 'ECONNREFUSED',
  syscall: 'connect',
})

describe('the speaker of a piece of evidence', () => {
  it.each<[Speaker, string, unknown, ClassifyContext]>([
    ['us', 'our own timer', new Error('x'), { own: { timedOut: true } }],
    ['us', 'our own abort', new Error('x'), { own: { aborted: true } }],
    ['operator', 'a signature', new Error('foo bar'), { signatures: signatures('foo bar') }],
    ['transport', 'a connection', refused, {}],
    ['transport', 'a status', http(429, ''), {}],
    ['transport', 'a status on an error', answered(401, 'no'), {}],
    ['transport', 'a client without an answer', new Error('getaddrinfo ENOTFOUND api.example.com'), {}],
    ['typed', 'a type in a body', http(400, { error: { type: 'rate_limit_error' } }), {}],
    ['typed', 'a code on an error', answered(400, 'no', { code: 'insufficient_quota' }), {}],
    ['typed', "a CLI's field", ended({ stdout: result('x', { is_error: true, api_error_status: 429 }) }), {}],
    ['notice', 'the result of a failed run', failedRun(LIMIT), {}],
    ['notice', 'stderr of an agent CLI', ended({ stderr: LIMIT }), { provider: 'claude' }],
    ['prose', 'the words of a body', http(400, { error: { message: 'Your credit balance is too low' } }), {}],
    ['prose', 'a thrown sentence', new Error(LIMIT), {}],
    ['prose', 'a sentence', LIMIT, {}],
    ['prose', 'JSON inside a sentence', answered(400, 'upstream: {"error":{"type":"rate_limit_error"}}'), {}],
    ['prose', 'what another program prints', ended({ stderr: 'Error: rate limit exceeded' }), {}],
    [
      'behind',
      'the words inside a 5xx',
      http(502, { error: { message: 'Your credit balance is too low' } }),
      {},
    ],
    ['behind', "a tool's text", tool('HTTP 429 Too Many Requests'), { returned: true }],
    ['model', 'the answer of a run that reports success', goodRun(LIMIT), {}],
    ['model', 'the same as a value', JSON.parse(goodRun(LIMIT).stdout), { returned: true }],
    ['model', 'a plain answer at exit code 0', ended({ exitCode: 0, stdout: LIMIT }), { provider: 'claude' }],
  ])('is %s for %s', (speaker, _what, input, context) => {
    expect(failureOf(input, context).evidence.speaker).toBe(speaker)
  })

  it('is told for the evidence that lost, too', () => {
    const { evidence } = failureOf(http(429, { error: { message: 'Your credit balance is too low' } }))
    expect(evidence).toMatchObject({
      speaker: 'prose',
      lost: [{ rule: 'http.too_many', speaker: 'transport' }],
    })
  })

  it('is backed by a stronger one that says the same', () => {
    const { evidence } = failureOf(http(401, { error: { message: 'Invalid API key provided' } }))
    expect([evidence.speaker, evidence.backer].filter(Boolean)).toContain('transport')
  })

  it('of a time is the one who stated it', () => {
    const limit = (headers: object, message: string) => failureOf(http(429, { error: { message } }, headers))
    expect(limit({ 'retry-after': '7' }, 'slow down').evidence.clock).toBe('transport')
    expect(limit({}, 'Rate limit reached. Try again in 7s').evidence.clock).toBe('prose')
    expect(failureOf(http(429, { error: { retry_after: 7 } })).evidence.clock).toBe('typed')
  })
})

describe('how long a speaker can shut a provider out', () => {
  const spent = 'Your credit balance is too low to access the API. Please top up.'
  const days = 'Usage limit reached. Try again in 20 days.'
  const cases: [Speaker, string, (text: string) => Failure][] = [
    ['notice', 'an agent CLI', text => failureOf(failedRun(text))],
    ['prose', 'the words of an answer', text => failureOf(http(400, { error: { message: text } }))],
    ['behind', 'an upstream', text => failureOf(http(502, { error: { message: text } }))],
    ['behind', 'a tool', text => failureOf(tool(text), { returned: true })],
    ['model', 'an answer', text => failureOf(goodRun(text))],
  ]
  it.each(cases)('%s: %s', (speaker, _who, said) => {
    const { longestTimeMs, longestBlockMs, blocksForMoney } = SPEAKERS[speaker]
    expect(blockOf(said(spent))).toBe(blocksForMoney ? Infinity : longestBlockMs)
    const longest = blocksForMoney ? longestTimeMs : longestBlockMs
    expect(blockOf(said(days))).toBe(Math.min(20 * DAY, longest))
  })

  it('is heard in full for headers and typed fields, whatever the words beside them say', () => {
    const inHours = { 'retry-after': '7200' }
    expect(blockOf(failureOf(http(429, 'slow down', inHours)))).toBe(2 * HOUR)
    expect(blockOf(failureOf(http(400, { error: { message: 'Rate limit exceeded' } }, inHours)))).toBe(
      2 * HOUR,
    )
    expect(blockOf(failureOf(http(401, { error: { message: 'Invalid API key' } })))).toBe(Infinity)
  })

  it('is an hour at most for a limit that an answer tells in words, whatever its status', () => {
    for (const status of [400, 403, 429]) {
      const failure = failureOf(http(status, { error: { type: 'invalid_request_error', message: LIMIT } }))
      expect(failure.class).toBe('throttle')
      expect(blockOf(failure)).toBe(HOUR)
    }
  })

  it('is as long as an operator says', () => {
    const known = { signatures: signatures('quota of the office') }
    const text = 'quota of the office is used up. Try again in 5 hours.'
    expect(blockOf(failureOf(ended({ stderr: text }), known))).toBeGreaterThanOrEqual(HOUR)
    expect(blockOf(failureOf(ended({ stderr: text }), { ...known, provider: 'claude' }))).toBe(5 * HOUR)
  })
})

describe('a run that reports success', () => {
  it.each([LIMIT, 'Your credit balance is too low', 'Invalid API key · Please run /login'])(
    'fails if its whole answer is a notice, and pauses its provider for a minute at most: %s',
    text => {
      const failure = failureOf(goodRun(text))
      expect(failure.effect).toBe('maybe')
      expect(blockOf(failure)).toBeLessThanOrEqual(MINUTE)
    },
  )

  it('blocks nothing if turns were served or paid: an answer can say what it was asked to say', () => {
    for (const served of [
      { num_turns: 3, total_cost_usd: 0.02 },
      { num_turns: 3, total_cost_usd: 0 },
      { num_turns: 1 },
    ])
      for (const text of [LIMIT, 'Your credit balance is too low', 'Invalid API key · Please run /login'])
        expect(healthOf(failureOf(goodRun(text, served)), { now: NOW, credentialKnown: true })).toEqual({
          breaker: 'none',
        })
  })

  it('keeps its limit if the run itself says that it failed, also after turns', () => {
    expect(blockOf(failureOf(failedRun(LIMIT)))).toBeGreaterThan(30 * DAY)
  })
})

/** Texts that sound like a refusal or a connection that was never made. */
const TEXTS = [
  'connect ECONNREFUSED 127.0.0.1:25',
  'getaddrinfo ENOTFOUND smtp.example.com',
  '401 Unauthorized: invalid api key',
  'HTTP 429 Too Many Requests. Retry after 2900000 seconds',
  'Your credit balance is too low to access the API',
  "You've hit your weekly limit · resets Dec 20",
  'The model is overloaded, please try again later',
  'certificate has expired',
  'Order 17 created, but sending the mail failed: connect ECONNREFUSED 127.0.0.1:25',
  'Payment captured. Webhook failed: 429 rate limit exceeded',
  '{"error":{"type":"rate_limit_error","code":"ECONNREFUSED","syscall":"connect","message":"slow down"}}',
]
/** Ways in which a text reaches us after a request was sent. */
const CARRIERS: [string, (text: string) => unknown, ClassifyContext][] = [
  ['a 500 with a message', text => http(500, { error: { message: text } }), {}],
  ['a 500 with plain text', text => http(500, text), {}],
  ['a 400 with a message', text => http(400, { error: { message: text } }), {}],
  ['a 422 with a list of errors', text => http(422, { errors: [{ message: text }] }), {}],
  ['a bare 503', text => http(503, { message: text }), {}],
  ['an SDK error with a status', text => answered(500, text), {}],
  ['an SDK error with a body', text => answered(502, 'Bad Gateway', { error: { message: text } }), {}],
  ['a cause inside a server error', text => answered(500, 'failed', { cause: { message: text } }), {}],
  ["a tool's text", text => tool(text), { returned: true }],
  ['a returned value', text => ({ success: false, error: text }), { returned: true }],
  ['stderr of a program', text => ended({ stderr: text }), {}],
  ['the output of an agent after turns', text => failedRun(text), {}],
]

describe('no text proves that nothing was done', () => {
  it.each(CARRIERS)('in %s', (_carrier, carry, context) => {
    for (const text of TEXTS) expect([text, failureOf(carry(text), context)?.effect]).toEqual([text, 'maybe'])
  })

  it.each(CARRIERS)('whatever it says, in %s', (_carrier, carry, context) => {
    const word = fc.constantFrom(
      ...TEXTS.flatMap(text => text.split(' ')),
      'refused',
      'rejected',
      'none',
      'not sent',
    )
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 12 }), words => {
        expect(failureOf(carry(words.join(' ')), context)?.effect ?? 'maybe').toBe('maybe')
      }),
      { numRuns: 60 },
    )
  })

  it.each([
    'Order 17 created, but sending the mail failed',
    'Your card was charged. Internal failure.',
    'payment captured; ledger locked',
    '3 rows committed before the limit was met',
    'The email has been sent, the log is full',
    'The transfer may have been committed',
    'Invoice INV-9 was issued; the ledger is full',
    'User saved. Could not reach the CRM: 401 Unauthorized',
    'Ticket opened, but the webhook said: 429',
    'The partner answered: connect ECONNREFUSED 10.0.0.7:443',
    'Could not notify smtp.example.com: getaddrinfo ENOTFOUND',
  ])('and one that says something was done forbids it, also beside a refusal: %s', text => {
    for (const status of [401, 404, 429])
      expect(failureOf(http(status, { error: { message: text } })).effect).toBe('maybe')
  })

  it.each([
    'No order was created',
    'Your card was not charged',
    'The message could not be sent',
    'Nothing was committed',
    'A project must be created before you can call this',
    'You have sent too many requests',
    'The key you sent is invalid',
    'Too many invoices created; wait a minute',
    'Circuit breaker opened; come back later',
    'This token was issued for another audience',
  ])('but one that says nothing was done does not: %s', text => {
    for (const status of [401, 404, 429])
      expect(failureOf(http(status, { error: { message: text } })).effect).toBe('none')
  })
})

describe('nobody but the speakers of the table', () => {
  const sentence = fc
    .array(fc.constantFrom(...TEXTS, 'Retry after 2900000 seconds.', 'until next month', 'Please top up.'), {
      minLength: 1,
      maxLength: 3,
    })
    .map(parts => parts.join(' '))

  it.each<[string, (text: string) => unknown, ClassifyContext]>([
    ['a tool', tool, { returned: true }],
    ['an upstream inside a 5xx', text => http(502, { message: text }), {}],
    ['an answer', goodRun, {}],
  ])('blocks a provider beyond a minute: %s', (_who, carry, context) => {
    fc.assert(
      fc.property(sentence, text => {
        const failure = failureOf(carry(text), context)
        if (failure) expect(blockOf(failure)).toBeLessThanOrEqual(MINUTE)
      }),
      { numRuns: 60 },
    )
  })

  it('makes a number evidence that cannot be one', () => {
    const spent = (total_cost_usd: number, num_turns: number) =>
      failureOf(ended({ stdout: result('x', { is_error: true, total_cost_usd, num_turns }) }))
    for (const cost of [1e308, -1, Number.MAX_SAFE_INTEGER])
      expect(spent(cost, 1)).not.toHaveProperty('costUsd')
    expect(spent(0.5, 1e12)).not.toHaveProperty('turns')
    expect(spent(0.5, 3)).toMatchObject({ costUsd: 0.5, turns: 3 })
    for (const seconds of ['-5', '9e99', String(36 * 86_400)])
      expect(failureOf(http(429, '', { 'retry-after': seconds }))).not.toHaveProperty('retryAfterMs')
  })
})

describe('headers inside a body', () => {
  const told = { statusCode: 429, headers: { 'retry-after': '2900000' } }
  const text = JSON.stringify(told)

  it.each<[string, unknown, string]>([
    ['a message', new Error(text), 'prose'],
    ["a server's failure", Object.assign(new Error(text), { status: 500 }), 'behind'],
    ["a tool's text", { isError: true, content: [{ type: 'text', text }] }, 'behind'],
    ["a tool's fields", { isError: true, content: [], structuredContent: told }, 'behind'],
    ['the output of a program', { exitCode: 1, stdout: text, stderr: '' }, 'prose'],
  ])('are the word of whoever wrote it: %s', (_what, input, clock) => {
    expect(classify(input, { now: 0 })?.evidence.clock).toBe(clock)
  })

  it('do not show that a server turned the request away', () => {
    const answer = (headers: object, body: object) => ({ status: 503, headers, body: JSON.stringify(body) })
    expect(classify(answer({}, told))?.effect).toBe('maybe')
    expect(classify(answer({ 'retry-after': '7' }, {}))?.effect).toBe('none')
  })
})

describe('what a server that failed passes on from another', () => {
  const inner = { error: { type: 'rate_limit_error', code: 'insufficient_quota', retry_after: 2_500_000 } }
  const bodies: [string, object][] = [
    ['an upstream', { error: { message: 'failed', upstream: inner } }],
    ['a cause', { message: 'failed', cause: inner }],
    ['an answer', { message: 'failed', response: { status: 402, body: inner } }],
    ['an error of another', { error: { upstream_error: inner.error } }],
    ['details', { error: { message: 'failed', details: inner.error } }],
    ['metadata', { error: { message: 'failed', metadata: { provider: inner.error } } }],
  ]
  it.each(bodies.flatMap(([title, body]) => [500, 502, 503].map(status => [title, status, body] as const)))(
    'in the fields of %s under %i blocks no longer than a minute and proves nothing',
    (_title, status, body) => {
      const failure = failureOf(http(status, body))
      expect(failure.evidence.speaker).toBe('behind')
      expect(failure.effect).toBe('maybe')
      expect(blockOf(failure)).toBeLessThanOrEqual(MINUTE)
    },
  )

  it('counts as typed where it is the error of the answer itself, or the provider is a gateway', () => {
    expect(failureOf(http(500, inner)).evidence.speaker).toBe('typed')
    const passed = http(502, { error: { message: 'failed', upstream: inner } })
    expect(failureOf(passed, { provider: 'litellm' }).evidence.speaker).toBe('typed')
  })
})
