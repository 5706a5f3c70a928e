import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sampled } from '../../../test/sampled.ts'
import { classify } from '../classify.ts'
import { isFineAnswer } from './observe.ts'

const failureIn = (value: unknown) => {
  const failure = classify(value, { provider: 'anthropic', returned: true })
  return failure && `${failure.class}/${failure.kind} by ${failure.evidence.rule}`
}

const TRACE = 'TypeError: x is not a function\n    at main (/srv/app.js:3:9)'

describe('a row that talks about errors is a valid answer', () => {
  it.each<[object]>([
    [{ name: 'Bob', message: 'I got a 429 rate limit error' }],
    [{ code: 12, message: 'December', data: null }],
    [{ code: 12, msg: 'December', data: null }],
    [{ code: 61, message: 'Bad Homburg', data: null }],
    [{ code: 17, message: 'Exhaust pipe', data: null }],
    [{ code: 33, message: 'Auvergne-Rhône-Alpes', data: [] }],
    [{ code: 1012, message: 'New York', data: null }],
    [{ failures: [{ test: 'retries on 429', reason: 'expected 2 tries' }], passed: 12 }],
    [{ json: { errors: [], data: { id: 'x' } } }],
    [{ json: { errors: [['line 3', 'unused variable']] } }],
    [{ name: 'Ann', message: 'Error: connect ECONNREFUSED 127.0.0.1:5432' }],
    [{ name: 'Ann', message: 'insufficient_quota', email: 'ann@example.org' }],
    [{ name: 'TimeoutError', message: 'the talk about timeouts starts at nine' }],
    [{ name: 'RateLimitError', message: 'a class of the OpenAI SDK', page: 12 }],
    [{ name: 'Error', message: 'what JavaScript throws' }],
    [{ name: 'web', stack: 'node', message: 'service unavailable until Monday' }],
    [{ name: 'Bob', stack: 'MERN', message: 'overloaded this week, try again later' }],
    [{ id: 7, message: '503 Service Unavailable', author: 'Jo' }],
    [{ id: 7, subject: 'Your credit balance is too low', message: 'Please pay.', from: 'billing@x.com' }],
    [{ message: 'quota exceeded', sender: 'Ops', channel: '#alerts' }],
    [{ role: 'user', message: 'why do I see "invalid x-api-key"?' }],
    [{ title: '429 Too Many Requests', body: 'What it means and what to do.' }],
    [{ title: 'Incident', description: 'The API returned 500 for an hour', resolved: true }],
    [{ status: 'open', title: 'Login fails with 401', message: 'since Tuesday' }],
    [{ status: 'failed', message: 'card declined', customer: 'Ann', amount: 12 }],
    [{ status: 'failed', reason: 'did not show up', exam: 'Physics', student: 'Bob' }],
    [{ status: 'error', message: 'lamp blinks red', device: 'printer-3' }],
    [{ status: 'cancelled', meeting: 'Review', started_at: '2026-10-01', reason: 'timeout' }],
    [{ status: 'expired', coupon: 'SPRING', completed_at: null }],
    [{ status: 'failed', test: 'retries on 429', finished_at: '2026-10-01T10:00:00Z' }],
    [{ status: 404, message: 'seen on the start page', page: '/old', visits: 3 }],
    [{ status: 503, body: 'down for maintenance', page: '/shop', checked_at: '2026-10-01' }],
    [{ statusCode: 404, body: 'What a 404 means', title: 'Status codes', author: 'Jo' }],
    [{ code: 503, message: 'room 503 is booked', room: 'Blue' }],
    [{ code: 'DE', message: 'Error rate is up', country: 'Germany', request_id: 'r1' }],
    [{ code: 'RATE_LIMIT', message: 'Speed limit here', street: 'Main St' }],
    [{ detail: 'The request was rejected because the quota is exceeded' }],
    [{ detail: 'Not found in the first book, but in the second' }],
    [{ detail: { colour: 'red', size: 'XL' } }],
    [{ detail: ['red', 'not in stock'] }],
    [{ type: 'error', message: 'disk full', service: 'db', host: 'h1' }],
    [{ type: 'error', sentence: 'He go home', correction: 'He goes home', message: 'verb' }],
    [{ type: 'result', home: 'Ajax', away: 'PSV', status: 'cancelled' }],
    [{ type: 'result', result: "You've hit your usage limit", player: 'Jo' }],
    [{ level: 'error', msg: 'upstream 503, retrying in 5s', service: 'api' }],
    [{ level: 50, msg: 'Error: 429', time: 1_790_000_000 }],
    [{ message: 'come back', retry_after: 'lunch' }],
    [{ text: 'Error: 529 {"type":"error","error":{"type":"overloaded_error"}}' }],
    [{ answer: '{"error":{"code":429}}', question: 'What does the body of a 429 look like?' }],
    [{ content: 'API Error: Rate limit reached', role: 'assistant' }],
    [{ summary: 'insufficient balance (1008)', tags: ['billing', 'error'] }],
    [{ reason: 'rate limit exceeded', vote: 'no' }],
    [{ rows: [{ name: 'Bob', message: '429' }], count: 1 }],
    [{ data: { name: 'Bob', message: 'I got a 429 rate limit error' } }],
    [{ result: { status: 'failed', message: 'card declined' } }],
    [{ output: 'Error: rate limit exceeded' }],
    [[{ name: 'Bob', message: 'rate limit' }]],
    [
      [
        { name: 'Bob', message: 'rate limit' },
        { name: 'Ann', message: 'overloaded' },
      ],
    ],
    [{ shortMessage: 'Command failed', command: 'git bisect', author: 'Jo' }],
    [{ signal: 'SIGTERM', pid: 'chapter 3', text: 'Signals' }],
    [{ issue: 'quota', category: 'billing', priority: 'high', reporter: 'Ann' }],
    [{ id: 7, job: 'nightly', error: '429 Too Many Requests', finished_at: '2026-10-01T10:00:00Z' }],
    [{ url: 'https://example.org/old', error: 'connect ECONNREFUSED 127.0.0.1:443', visits: 3 }],
    [{ file: 'a.ts', errors: ['rate limit is not defined'], warnings: [] }],
    [{ valid: false, errors: [{ path: '/key', message: 'invalid api key' }] }],
    [{ stack: TRACE, title: 'Crash in the app', seen: 12 }],
  ])('%j', row => {
    expect(failureIn(row)).toBeNull()
    // A list of one is always tested in full.
    if (!Array.isArray(row)) expect(isFineAnswer(row)).toBe(true)
  })
})

describe('a value with the shape of a failure is still one', () => {
  it.each<[unknown, string]>([
    [{ error: { type: 'rate_limit_error', message: 'slow down' } }, 'throttle/rate_limit'],
    [{ error: 'rate limit exceeded' }, 'throttle/rate_limit'],
    [{ error: '<html>Bad Gateway</html>', request: {}, response: { status: 502 } }, 'transient/server_error'],
    [{ text: null, error: 'rate limit exceeded' }, 'throttle/rate_limit'],
    [{ error: 'invalid_grant', error_description: 'Token has been expired or revoked.' }, 'permanent/auth'],
    [{ errors: [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }] }, 'throttle/rate_limit'],
    [{ valid: false, error: { type: 'rate_limit_error', message: 'slow down' } }, 'throttle/rate_limit'],
    [{ success: false, message: 'rate limit exceeded' }, 'throttle/rate_limit'],
    [{ ok: false, error: 'ratelimited' }, 'throttle/rate_limit'],
    [{ isError: true, content: [{ type: 'text', text: '429 Too Many Requests' }] }, 'throttle/rate_limit'],
    [{ name: 'AI_APICallError', message: 'Overloaded', statusCode: 529 }, 'transient/overloaded'],
    [{ name: 'TypeError', message: 'x is not a function', stack: TRACE }, 'permanent/code_bug'],
    [Object.assign(new Error('Too Many Requests'), { status: 429 }), 'throttle/rate_limit'],
    [{ status: 'error', message: 'rate limit exceeded' }, 'throttle/rate_limit'],
    [{ statusCode: 429, message: 'slow down', error: 'Too Many Requests' }, 'throttle/rate_limit'],
    [{ code: 429, message: 'slow down', request_id: 'r' }, 'throttle/rate_limit'],
    [{ cod: '401', message: 'Invalid API key' }, 'permanent/auth'],
    [{ message: 'You are being rate limited.', retry_after: 0.65, global: false }, 'throttle/rate_limit'],
    [{ code: 'Throttling.RateQuota', message: 'slow down', request_id: 'r' }, 'throttle/rate_limit'],
    [{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'transient/overloaded'],
    [{ type: 'error', message: 'stream disconnected before completion' }, 'transient/stream_cut'],
    [{ statusCode: 503, body: 'overloaded' }, 'transient/overloaded'],
    [{ status: 429, headers: { 'retry-after': '7' }, elapsed: 3, body: '' }, 'throttle/rate_limit'],
    [{ detail: [{ loc: ['body'], msg: 'field required', type: 'missing' }] }, 'permanent/invalid_request'],
  ])('%j is %s', (value, expected) => {
    expect(failureIn(value)?.split(' by ')[0]).toBe(expected)
  })
})

/** What rows say, even about failures. */
const said = fc.oneof(
  fc.string(),
  fc.constantFrom(
    ...[
      'failed',
      'error',
      'FAILED',
      'RATE_LIMIT',
      '429',
      '503',
      'TimeoutError',
      'result',
      'expired',
      'refusal',
    ],
    'Error: 429 Too Many Requests',
    '{"error":{"type":"rate_limit_error"}}',
    'You have hit your usage limit · resets 3pm',
    TRACE,
  ),
)
const ordinary = fc.constantFrom(
  ...'name message title subject body text comment note summary author user email city label tag reason'.split(
    ' ',
  ),
  ...'description category kind priority url path date created_at answer question content role stack id'.split(
    ' ',
  ),
)
/** Field names that an outcome has too, but not together with those of a thing. */
const ambiguous = fc.constantFrom('status', 'type', 'code', 'detail', 'state', 'level', 'cod', 'retry_after')
const ofThing = fc.constantFrom('customer', 'city', 'order', 'author', 'subject', 'device', 'country')

describe('free text never decides', () => {
  it('in a message of one word beside a description', () => {
    expect(failureIn({ message: 'failed', description: 'how the last build went' })).toBeNull()
  })

  it('in a row of strings under ordinary names', () => {
    fc.assert(
      fc.property(fc.dictionary(ordinary, said), row => {
        expect(failureIn(row)).toBeNull()
        expect(isFineAnswer(row)).toBe(true)
      }),
      { numRuns: sampled(2_000) },
    )
  })

  it('in a row of strings with fields of a thing next to a status or a code', () => {
    const row = fc
      .tuple(fc.dictionary(fc.oneof(ordinary, ambiguous), said), fc.dictionary(ofThing, said, { minKeys: 1 }))
      .map(([some, others]) => ({ ...some, ...others }))
    fc.assert(
      fc.property(row, row => {
        expect(failureIn(row)).toBeNull()
      }),
      { numRuns: sampled(2_000) },
    )
  })
})
