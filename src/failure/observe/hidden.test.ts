import { describe, expect, it } from 'vitest'
import { classify } from '../classify.ts'

const exited0 = (stdout: string, stderr = '') => ({ exitCode: 0, signal: null, stdout, stderr })
const kindOf = (input: unknown, context = {}) => {
  const failure = classify(input, context)
  return failure && `${failure.class}/${failure.kind}`
}
const ways = (value: unknown) => [
  kindOf(value, { returned: true }),
  kindOf({ status: 200, headers: {}, body: value }),
  kindOf({ status: 200, headers: {}, body: JSON.stringify(value) }),
  kindOf(exited0(`${JSON.stringify(value)}\n`), { provider: 'some-tool' }),
]

describe('a program that prints only an error line on stderr', () => {
  it.each([
    ['Error when talking to Gemini API Full report available at: /tmp/gemini-error.json', 'unknown'],
    ['[ERROR] 429 Too Many Requests', 'throttle'],
    ['ERROR: insufficient balance', 'throttle'],
    ['some-tool: error: invalid API key', 'permanent'],
    ['2026-05-22 10:00:00,123 ERROR root: connection refused', 'transient'],
    ['2026-05-22T10:00:00Z ERROR service overloaded', 'transient'],
    ['time="2026-05-22T10:00:00Z" level=error msg="rate limit exceeded"', 'throttle'],
    ['❌ Request failed: 503 Service Unavailable', 'transient'],
    ['✗ Error: quota exceeded', 'throttle'],
    ['Fehler: Verbindungsaufbau abgelehnt', 'transient'],
    ['错误：余额不足', 'throttle'],
  ])('failed, although it exits 0: %s', (line, cls) => {
    expect(classify(exited0('', `${line}\n`), { provider: 'some-tool' })?.class).toBe(cls)
  })

  it.each([
    'Warning: Permanently added the host to the list of known hosts.',
    'Could not create directory /root/.ssh (Permission denied).',
    'Everything up-to-date',
    'error: 0, warnings: 0',
    'ERROR: none',
    'Compiled with 0 errors in 2.1 s',
    'remote: Resolving deltas: 100% (3/3), done.',
    'warning: 429 is deprecated, use 503',
    'Error log written to /var/log/error.log',
    'errors.log rotated',
  ])('did not fail: %s', line => {
    expect(classify(exited0('', `${line}\n`), { provider: 'some-tool' })).toBeNull()
    expect(classify(exited0('done\n', `${line}\n`), { provider: 'some-tool' })).toBeNull()
  })
})

describe('a notice below the title of its program', () => {
  const notice = 'Rate limit exceeded. Please try again later.'
  it.each([
    '🐈 nanobot',
    'some-tool v1.4.2',
    '🤖 My Agent',
    '═════',
    'Assistant:',
    ' /\\_/\\\n( o.o )\n > ^ <',
    'bot 🤖',
  ])('is the failure that it names: %s', title => {
    expect(kindOf(exited0(`${title}\n${notice}\n`), { provider: 'some-tool' })).toBe('throttle/rate_limit')
  })
  it.each(['✅ Done', '# Rate limits', '- first', 'The client now says:', 'Fixed the banner'])(
    'is part of an answer below anything else: %s',
    title => {
      expect(classify(exited0(`${title}\n${notice}\n`), { provider: 'some-tool' })).toBeNull()
    },
  )
})

describe('GraphQL', () => {
  const message = 'Query has complexity of 1016020, which exceeds max complexity of 1000000'
  it.each<[unknown, string]>([
    [{ errors: [{ message }], account_id: 8 }, 'permanent/request_too_large'],
    [
      { data: null, errors: [{ message: 'Rate limit exceeded' }], extensions: { cost: 3 } },
      'throttle/rate_limit',
    ],
    [
      { errors: [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }], requestId: 'x' },
      'throttle/rate_limit',
    ],
    [
      {
        errors: [{ message: 'Not authorized', path: ['me'], locations: [{ line: 1, column: 2 }] }],
        data: { me: null },
      },
      'permanent/forbidden',
    ],
    [
      { errors: [{ message: 'API rate limit exceeded', type: 'RATE_LIMITED' }], status_code: 200 },
      'throttle/rate_limit',
    ],
  ])('failed if it has errors and no data: %j', (value, expected) => {
    const [cls] = expected.split('/')
    for (const way of ways(value)) expect(way?.split('/')[0]).toBe(cls)
  })

  it.each<[unknown]>([
    [{ errors: [{ message: 'Unexpected token', line: 3, column: 4 }], file: 'a.ts' }],
    [{ errors: [{ message: 'timed out', rule: 'no-timeout' }], warnings: [], files: 3 }],
    [{ errors: [], data: { a: 1 } }],
    [{ errors: 0, warnings: 2 }],
    [{ url: 'https://example.com', errors: [{ message: 'missing alt text' }] }],
  ])('did not fail if it has data, or lists findings of a checker: %j', value => {
    for (const way of ways(value)) expect(way).toBeNull()
  })
})

describe('an envelope that reports failure', () => {
  it.each<[unknown, string]>([
    [{ status: '0', message: 'NOTOK', result: 'Max calls per sec rate limit reached (5/sec)' }, 'throttle'],
    [{ status: '0', message: 'NOTOK', result: 'Invalid API Key' }, 'permanent'],
    [{ status: 0, message: 'NOTOK', result: 'Max rate limit reached' }, 'throttle'],
    [{ status: 'error', result: 'Too many requests, slow down' }, 'throttle'],
    [{ status: 'fail', description: 'Insufficient balance' }, 'throttle'],
    [{ status: 'fail', info: 'rate limit exceeded' }, 'throttle'],
    [{ status: 'error', reason: 'invalid api key' }, 'permanent'],
    [{ status: 'failed', msg: 'service temporarily unavailable' }, 'transient'],
    [{ status: 'ERROR', data: 'service temporarily unavailable' }, 'transient'],
    [{ result: 'error', message: 'rate limit exceeded' }, 'throttle'],
    [{ result: 'fail', reason: 'insufficient balance' }, 'throttle'],
    [{ success: 'false', message: 'Too many requests' }, 'throttle'],
    [{ success: 0, message: 'Too many requests' }, 'throttle'],
    [{ success: false, result: 'Too many requests' }, 'throttle'],
    [{ ok: false, description: 'Too Many Requests: retry after 5', error_code: 429 }, 'throttle'],
    [{ status: '0', info: 'DAILY_QUERY_OVER_LIMIT', infocode: '10003' }, 'throttle'],
    [{ status: '0', info: 'INVALID_USER_KEY', infocode: '10001' }, 'permanent'],
    [{ errcode: 45047, errmsg: 'out of response count limit rid: 608780e2' }, 'throttle'],
    [{ errcode: 45009, errmsg: 'reach max api daily quota limit rid: 6' }, 'throttle'],
    [{ errcode: 40001, errmsg: 'invalid credential, access_token is invalid' }, 'permanent'],
    [{ errno: 110, errmsg: 'Access token invalid or no longer valid' }, 'permanent'],
    [{ errno: 6, errmsg: 'rate limit exceeded', request_id: 3 }, 'throttle'],
    [{ code: 50001, msg: '余额不足', data: null }, 'throttle'],
    [{ code: '50011', msg: 'Too Many Requests', data: [] }, 'throttle'],
    [{ code: 429, message: '请求过于频繁', data: null, success: false }, 'throttle'],
    [{ code: -1, message: '系统繁忙，请稍后再试', data: null }, 'transient'],
    [{ code: 'A0500', message: '用户请求次数太多', data: null }, 'throttle'],
    [{ retCode: 10006, retMsg: 'Too many visits!', result: {} }, 'throttle'],
    [{ status: { code: 1008, error_message: 'You have exceeded your rate limit' } }, 'throttle'],
    [
      { meta: { code: 429, errorType: 'rate_limit_exceeded', errorDetail: 'Quota exceeded' }, response: {} },
      'throttle',
    ],
    [
      { cod: 429, message: 'Your account is temporary blocked due to exceeding of requests limitation' },
      'throttle',
    ],
    [
      { error: { code: 104, info: 'Your monthly usage limit has been reached.' }, success: false },
      'throttle',
    ],
    [{ response: { status: 'error', reason: 'Too many requests' } }, 'throttle'],
    [{ stat: 'fail', code: 105, message: 'Service currently unavailable' }, 'transient'],
    [
      {
        fault: {
          faultstring: 'Rate limit quota violation',
          detail: { errorcode: 'policies.ratelimit.QuotaViolation' },
        },
      },
      'throttle',
    ],
    [{ type: 'about:blank', title: 'Too Many Requests', status: 429, detail: 'slow down' }, 'throttle'],
  ])('failed: %j', (value, cls) => {
    for (const way of ways(value)) expect(way?.split('/')[0]).toBe(cls)
  })

  it.each<[unknown]>([
    [{ status: '1', message: 'OK', result: '0x12' }],
    [{ status: '0', message: 'No transactions found', result: [] }],
    [{ status: 0, name: 'queue', message: 'idle' }],
    [{ status: 'ok', result: 'rate limit exceeded' }],
    [{ status: 'success', message: 'Too many requests is status 429' }],
    [{ result: 'rate limit exceeded' }],
    [{ result: 'fail', team: 'A', reason: 'own goal' }],
    [{ status: 'fail', student: 'Bob', reason: 'missed the exam' }],
    [{ errcode: 0, errmsg: 'ok' }],
    [{ errno: 0, errmsg: 'success', list: [] }],
    [{ code: 0, msg: 'success', data: { a: 1 } }],
    [{ code: 200, message: '操作成功', data: null }],
    [{ code: '00000', message: '成功', data: [] }],
    [{ code: 1, msg: 'success', data: [1] }],
    [{ code: 'SUCCESS', msg: 'ok' }],
    [{ code: 'EUR', message: 'Euro' }],
    [{ status: 302, name: 'redirects', count: 3 }],
    [{ stat: 'ok', photos: {} }],
    [{ meta: { code: 200 }, response: { venues: [] } }],
    [{ retCode: 0, retMsg: 'OK', result: {} }],
    [{ success: 1, message: 'Too many requests' }],
    [{ success: 3, failed: 0 }],
    [{ info: 'rate limit exceeded', page: 3 }],
    [{ meta: { code: 404, message: 'the one we look for' }, data: [1] }],
    [{ state: 'error', info: 'red' }],
  ])('did not fail: %j', value => {
    for (const way of ways(value)) expect(way).toBeNull()
  })
})

describe('an envelope with a number, a message and an empty place for the answer', () => {
  it.each([
    [{ code: 12, message: 'Invalid parameter: month', data: null }, 'permanent/invalid_request'],
    [{ code: 1, message: 'Failed', data: null }, 'unknown/unknown'],
    [{ code: -1, message: '系统繁忙，请稍后再试', data: null }, 'transient/overloaded'],
    [{ code: 40001, message: 'Signature mismatch', data: null }, 'permanent/auth'],
    [{ code: 401, message: 'Unauthorized', data: null }, 'permanent/auth'],
  ])('failed if the message complains: %j', (value, kind) => {
    expect(kindOf(value, { returned: true })).toBe(kind)
  })
})

describe('failures listed next to what was done', () => {
  it('are known by the name and the code that AWS gives them', () => {
    const failures = [{ arn: 'arn:aws:ecs:eu-west-1:1:service/x', reason: 'MISSING' }]
    expect(new Set(ways({ services: [], failures }))).toEqual(new Set(['permanent/not_found']))
  })

  it('are read from lists of a code and its message', () => {
    const errors = [['RATELIMIT', "you're doing that too much. try again in 9 minutes.", 'ratelimit']]
    expect(new Set([...ways({ json: { errors } }), ...ways({ errors })])).toEqual(
      new Set(['throttle/rate_limit']),
    )
    expect(classify({ json: { errors } }, { returned: true })?.retryAfterMs).toBe(540_000)
  })

  it('are the outcome if nothing else was done', () => {
    const refused = { Type: 'InvalidResource', Code: '5054', Details: "The SnapshotId 's' doesn't exist." }
    expect(new Set(ways({ Errors: [refused], ResponseContext: { RequestId: 'r' } }))).toEqual(
      new Set(['permanent/not_found']),
    )
    const ticket = { status: 'error', message: 'the topic does not exist', details: { error: 'NoSuchTopic' } }
    expect(new Set(ways({ data: [ticket, ticket] }))).toEqual(new Set(['permanent/not_found']))
  })

  it.each([
    { Deleted: [{ Key: 'a' }], Errors: [{ Code: 'AccessDenied', Message: 'Access Denied' }] },
    {
      data: [
        { status: 'error', message: 'it does not exist' },
        { status: 'ok', id: 'x' },
      ],
    },
    { data: [{ id: 7, status: 'error', message: 'the job does not exist' }] },
    { Errors: [] },
  ])('are no outcome of the whole beside what was done, or as rows about things: %j', value => {
    expect(new Set(ways(value))).toEqual(new Set([null]))
  })

  it('may be told by a tool in the place of its answer', () => {
    const content = `Command failed: Unexpected token '<', "<" is not valid JSON`
    const report = { status: 'error', content, content_type: 'text', metadata: { return_code: 0 } }
    expect(kindOf(report, { returned: true })).toBe('transient/bad_json')
    expect(kindOf({ ...report, title: 'a post', author: 'ada' }, { returned: true })).toBeNull()
  })

  it('tell how long a model takes to load', () => {
    const value = { error: 'Model m is currently loading', estimated_time: 20 }
    expect(classify(value, { returned: true })).toMatchObject({ kind: 'loading', retryAfterMs: 20_000 })
  })
})

describe('a wrapper that says what it starts', () => {
  it('does not hide the notice of the agent', () => {
    const notice = "You've hit your limit · resets 1pm (Europe/Lisbon)"
    const printed = exited0(`Using Claude Code from native installer\n${notice}\n`)
    expect(kindOf(printed, { provider: 'some-wrapper' })).toBe('throttle/usage_limit')
  })

  it('is not a wrapper if it explains what it shows', () => {
    const told = "Running it twice gives me this message:\nYou've hit your limit · resets 1pm"
    expect(kindOf(exited0(told), { provider: 'claude' })).toBeNull()
  })
})

describe("a tool that passes on an API's answer without setting the flag", () => {
  const text = (value: unknown) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] })

  it.each([
    [
      { status: 404, object: 'error', code: 'object_not_found', message: 'no such page' },
      'permanent/not_found',
    ],
    [{ error: 'Collection posts not found' }, 'permanent/not_found'],
    [{ status: 'error', message: 'rate limit exceeded' }, 'throttle/rate_limit'],
  ])('failed with %j', (value, kind) => {
    expect(kindOf(text(value), { returned: true })).toBe(kind)
  })

  it.each([
    [{ level: 'error', msg: 'connection refused', ts: '2026-10-01T10:00:00Z' }],
    [{ id: 1, title: 'Rate limit errors', body: '429 Too Many Requests' }],
    [{ code: 429, name: 'Too Many Requests', description: 'too many in a given time', rfc: 6585 }],
  ])('did not fail with a record: %j', value => {
    expect(kindOf(text(value), { returned: true })).toBeNull()
  })
})

describe('lines of a log on stdout', () => {
  it('are what was asked for, no matter what they report', () => {
    const log =
      '2026-10-01 10:00:00 ERROR upstream returned 503\n2026-10-01 10:00:07 ERROR rate limit exceeded\n'
    expect(kindOf(exited0(log))).toBeNull()
    expect(kindOf({ ...exited0(log), exitCode: 1 })).toBe('throttle/rate_limit')
  })
})

describe('a value that is nothing but an error of a runtime, or an answer without a choice', () => {
  it.each([
    [{ code: 'ECONNRESET', message: 'read ECONNRESET' }, 'transient/network'],
    [{ choices: [], usage: { prompt_tokens: 5, completion_tokens: 0 } }, 'transient/stream_cut'],
  ])('%j failed', (value, expected) => {
    expect(new Set(ways(value))).toEqual(new Set([expected]))
  })

  it.each([
    { code: 'ABC123', message: 'Your code is ready' },
    { object: 'chat.completion.chunk', choices: [], usage: { total_tokens: 5 } },
    { choices: [], question: 'Which one?' },
  ])('%j is fine', value => {
    expect(new Set(ways(value))).toEqual(new Set([null]))
  })
})

describe('what a program was asked to show', () => {
  it('is fine, although it is a table of errors or the content of a file that reports one', () => {
    const table =
      ' id |        error        \n----+---------------------\n  2 | rate limit exceeded\n(1 row)\n'
    expect(classify(exited0(table))).toBeNull()
    const text = '{"status":"failed","error":"timeout"}'
    const shown = { content: [{ type: 'text', text }], structuredContent: { content: text } }
    expect(classify(shown, { returned: true })).toBeNull()
    expect(classify({ content: shown.content }, { returned: true })?.class).toBe('timeout')
  })
})

describe('an error as a whole value', () => {
  it('may have its sentence in its data', () => {
    const value = { name: 'NotFoundError', data: { message: 'Session not found: ses_1' } }
    expect(new Set(ways(value))).toEqual(new Set(['permanent/not_found']))
  })

  it('is one by what clients note of errors, whatever its sentence says', () => {
    const data = { message: 'The provider ended the response before it was done.', isRetryable: true }
    expect(new Set(ways({ name: 'APIError', data }))).toEqual(new Set(['transient/stream_cut']))
  })
})

describe('an assistant that apologises with the error of its API', () => {
  const carriers = (content: string) => [
    kindOf({ role: 'assistant', content }, { returned: true }),
    kindOf(
      { choices: [{ finish_reason: 'stop', message: { role: 'assistant', content } }] },
      { returned: true },
    ),
    kindOf(exited0(`{"role":"user","content":"hi"}\n${JSON.stringify({ role: 'assistant', content })}\n`)),
    kindOf(exited0(`${content}\n`), { provider: 'claude' }),
  ]
  const long = JSON.stringify({ error: { message: 'slow down', hint: 'x'.repeat(400) } })

  it.each([
    [
      'Sorry, I encountered an error: Grok API error: 402 Please add credits to continue.',
      'throttle/billing',
    ],
    [
      `I ran into an error while calling the model: RateLimitError: Error code: 429 - ${long}`,
      'throttle/rate_limit',
    ],
    ["I'm sorry, but I encountered an unexpected error: HTTP error 502", 'transient/server_error'],
    ['I apologize, I received an error from the provider: API Error: 401 Unauthorized', 'permanent/auth'],
  ])('failed: %s', (said, answer) => expect(carriers(said)).toEqual(carriers(said).map(() => answer)))

  it.each([
    'I encountered an error: Error code: 401 in client.ts, and fixed it by adding the key.',
    'I hit an error: the file has 404 lines',
    'I encountered an error: TypeError: x is not a function',
    'Sorry, I encountered an error: tests fail with error 500 in checkout.test.ts',
    'I encountered an error page: it shows "Error 500"',
  ])('answered: %s', said => expect(carriers(said)).toEqual(carriers(said).map(() => null)))
})

describe('a batch that is over', () => {
  const batch = (completed: number, failed: number) => ({
    id: 'batch_1',
    object: 'batch',
    status: 'completed',
    errors: null,
    request_counts: { completed, failed, total: completed + failed },
  })
  it('failed if none of its requests succeeded', () => {
    expect(kindOf(batch(0, 9), { returned: true })).toBe('unknown/unknown')
  })
  it.each([batch(1, 8), batch(0, 0), batch(9, 0)])('succeeded otherwise: %j', value => {
    expect(kindOf(value, { returned: true })).toBeNull()
  })
})

describe('an envelope with a sentence for each reader', () => {
  it.each<[object, string]>([
    [{ status: 'error', short_message: 'error_invalid_parameters', detail_message: 'key' }, 'permanent'],
    [{ status: 'failed', userMessage: 'Rate limit exceeded' }, 'throttle'],
    [{ success: false, display_message: 'Invalid API key' }, 'permanent'],
  ])('failed: %j', (value, cls) => expect(classify(value, { returned: true })?.class).toBe(cls))

  it.each([
    { status: 'failed', commit_message: 'Fix the rate limit', author: 'a' },
    { status: 'error', user_message: 'The rate limit is exceeded', customer: 'Ann' },
  ])('is a row if it is about something: %j', value => {
    expect(classify(value, { returned: true })).toBeNull()
  })
})
