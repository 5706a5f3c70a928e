import { describe, expect, it } from 'vitest'
import { classify, throttleHint } from './classify.ts'
import { Signatures } from './signature.ts'

const ended = (
  exitCode: number | null,
  output: { stdout?: string; stderr?: string; signal?: string; timedOut?: boolean } = {},
) => ({
  exitCode,
  signal: output.signal ?? null,
  stdout: output.stdout ?? '',
  stderr: output.stderr ?? '',
  ...(output.timedOut ? { timedOut: true } : {}),
})

describe('what the caller itself did', () => {
  it('beats everything that the input says', () => {
    expect(classify(new Error('429 Too Many Requests'), { own: { aborted: true } })).toMatchObject({
      class: 'aborted',
      evidence: { rule: 'own:aborted' },
    })
    expect(classify(new Error('429 Too Many Requests'), { own: { rail: 'max_budget' } })).toMatchObject({
      class: 'rail',
      kind: 'max_budget',
    })
    expect(classify(new Error('This operation was aborted'), { own: { timedOut: true } })).toMatchObject({
      class: 'timeout',
      effect: 'maybe',
    })
  })

  it('includes the timedOut of a process', () => {
    expect(classify(ended(null, { signal: 'SIGKILL', timedOut: true }))).toMatchObject({
      class: 'timeout',
      kind: 'timeout',
    })
  })

  it('names the cause that was being waited for, if the output shows one', () => {
    const banner = 'Attempt 1 failed: rate limit exceeded. Retrying after 35886ms...'
    expect(classify(ended(null, { stderr: banner, signal: 'SIGKILL', timedOut: true }))).toMatchObject({
      class: 'throttle',
    })
  })

  it('does not blame a code bug in the output for a timeout', () => {
    const output = 'tool: permission denied\nstill working'
    expect(classify(ended(null, { stdout: output, signal: 'SIGKILL', timedOut: true }))).toMatchObject({
      class: 'timeout',
    })
  })
})

describe('wrappers', () => {
  it.each([
    [
      'a 500 around a spent account',
      { status: 500, headers: {}, body: { error: { message: 'upstream: insufficient balance' } } },
      'throttle/billing',
    ],
    [
      'a 502 around a 429',
      { status: 502, headers: {}, body: 'upstream returned HTTP 429 Too Many Requests' },
      'throttle/rate_limit',
    ],
    [
      'a 429 that speaks of overload',
      { status: 429, headers: {}, body: { error: { message: 'The model is overloaded' } } },
      'transient/overloaded',
    ],
    [
      'a 429 for a request that can never fit',
      {
        status: 429,
        headers: {},
        body: {
          error: {
            message:
              'Request too large for gpt-4o: Limit 30000, Requested 40000. The input or output tokens must be reduced.',
            code: 'rate_limit_exceeded',
          },
        },
      },
      'permanent/context_overflow',
    ],
    [
      'a 403 that is a limit',
      { status: 403, headers: {}, body: { message: 'You have exceeded a secondary rate limit.' } },
      'throttle/rate_limit',
    ],
    [
      'a 400 that is a refused key',
      {
        status: 400,
        headers: {},
        body: { error: { message: 'API key not valid. Please pass a valid API key.' } },
      },
      'permanent/auth',
    ],
    [
      'JSON inside JSON inside a message',
      Object.assign(
        new Error(
          JSON.stringify({
            error: {
              message: JSON.stringify({
                error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' },
              }),
              code: 503,
            },
          }),
        ),
        { status: 503 },
      ),
      'transient/overloaded',
    ],
  ])('lets the cause of %s decide', (_title, input, expected) => {
    const failure = classify(input)
    expect(`${failure?.class}/${failure?.kind}`).toBe(expected)
  })

  it('reads a cause chain to its end, and puts both ends in the message', () => {
    const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' })
    const failure = classify(
      new Error('LLM call failed', { cause: new TypeError('fetch failed', { cause: reset }) }),
    )
    expect(failure).toMatchObject({
      class: 'transient',
      kind: 'network',
      effect: 'maybe',
      code: 'ECONNRESET',
      message: 'LLM call failed: read ECONNRESET',
    })
  })

  it('reads the parts of an AggregateError, whose own message is empty', () => {
    const refused = (address: string) =>
      Object.assign(new Error(`connect ECONNREFUSED ${address}`), {
        code: 'ECONNREFUSED',
        syscall: 'connect',
      })
    const failure = classify(
      new TypeError('fetch failed', {
        cause: new AggregateError([refused('::1'), refused('127.0.0.1')], ''),
      }),
    )
    expect(failure).toMatchObject({ class: 'transient', kind: 'network', effect: 'none' })
  })
})

describe('numbers', () => {
  it.each([
    'see spec.rb:418-429 for details of the odd thing',
    'odd thing in req_4290429',
    'listening on port 500',
    'processed 429 rows, then an odd thing',
    'at line 503: odd thing',
    'odd thing after 1500 lines, 5000 tokens',
  ])('that are not statuses are ignored: %s', text => {
    expect(classify(text)).toMatchObject({ class: 'unknown' })
  })

  it.each([
    ['HTTP 429', 429],
    ['status code 503', 503],
    ['API Error: 529 {"type":"error"}', 529],
    ['unexpected status 401 Unauthorized', 401],
    ['Error code: 403 - no', 403],
    ['[400 Bad Request] no', 400],
    ['request rejected (429)', 429],
    ['<title>502 Bad Gateway</title>', 502],
  ])('count if the text calls them a status: %s', (text, status) => {
    expect(classify(text)?.status).toBe(status)
  })
})

describe('success', () => {
  it.each([
    [
      'exit code 0 with an answer that talks about errors',
      ended(0, { stdout: 'I fixed the 429 Too Many Requests and the connection reset.' }),
    ],
    ['exit code 0 with noise on stderr', ended(0, { stdout: 'done', stderr: 'Warning: rate limit is near' })],
    [
      'an answer of HTTP 200',
      {
        status: 200,
        headers: {},
        body: { choices: [{ finish_reason: 'stop', message: { content: 'error 429' } }] },
      },
    ],
    [
      "an agent's good result",
      { type: 'result', subtype: 'success', is_error: false, result: 'rate limit exceeded' },
    ],
  ])('is no failure: %s', (_title, input) => {
    expect(classify(input)).toBeNull()
  })

  it.each([
    'any text, also Error: 429',
    42,
    null,
    undefined,
    true,
    { error: null },
    { error: '' },
    { errors: [] },
    { errors: false },
    { success: true, message: 'error 500' },
    { content: [{ type: 'text', text: 'Error: 429 Too Many Requests' }] },
    { status: 'ok' },
    [],
    {},
  ])('is what a returned %j means', value => {
    expect(classify(value, { returned: true })).toBeNull()
  })

  it.each([
    { error: 'boom' },
    { error: {} },
    { success: false },
    { ok: false, error: 'invalid_auth' },
    { isError: true, content: [{ type: 'text', text: 'boom' }] },
    { errors: [{ message: 'boom' }] },
    { jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'Invalid params' } },
    { base_resp: { status_code: 1008, status_msg: 'insufficient balance' } },
    { Response: { Error: { Code: 'RequestLimitExceeded', Message: 'x' } } },
    { promptFeedback: { blockReason: 'SAFETY' } },
    { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
  ])('is not what a returned %j means', value => {
    expect(classify(value, { returned: true })).not.toBeNull()
  })
})

describe('effect', () => {
  it.each([
    ['none', Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' })],
    ['none', { status: 401, headers: {}, body: '' }],
    ['none', { status: 429, headers: {}, body: '' }],
    ['maybe', { status: 422, headers: {}, body: '' }],
    ['none', { status: 422, headers: {}, body: { error: { type: 'invalid_request_error' } } }],
    ['maybe', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' })],
    ['maybe', { status: 500, headers: {}, body: '' }],
    ['maybe', { status: 504, headers: {}, body: '' }],
    ['maybe', ended(null, { signal: 'SIGKILL' })],
    ['maybe', new Error('nobody knows')],
  ])('is %s for %o', (effect, input) => {
    expect(classify(input)?.effect).toBe(effect)
  })

  it('is maybe for a limit that an agent hit after it had worked', () => {
    const result = {
      type: 'result',
      subtype: 'success',
      is_error: true,
      num_turns: 40,
      result: "You've hit your limit",
      session_id: 's',
      total_cost_usd: 1.5,
    }
    expect(classify(ended(1, { stdout: JSON.stringify(result) }), { provider: 'claude' })).toMatchObject({
      class: 'throttle',
      effect: 'maybe',
      turns: 40,
      costUsd: 1.5,
      sessionId: 's',
    })
  })
})

describe('evidence', () => {
  it('names the rule, the place, the words, and what lost', () => {
    const failure = classify({
      status: 400,
      headers: {},
      body: {
        error: {
          type: 'invalid_request_error',
          message: 'Your credit balance is too low to access the API.',
        },
      },
    })
    expect(failure?.evidence).toMatchObject({
      rule: 'money.balance_empty',
      where: 'response.body.error.message',
    })
    expect(failure?.evidence.excerpt).toContain('credit balance is too low')
    expect(failure?.evidence.lost.map(({ rule }) => rule)).toContain('http.invalid')
  })

  it('is redacted everywhere', () => {
    const secret = `sk-ant-api03-${'x1Y2'.repeat(20)}`
    const failure = classify(new Error(`Incorrect API key provided: ${secret} for https://me:hunter2@host/`))
    expect(failure?.kind).toBe('auth')
    expect(JSON.stringify(failure)).not.toContain(secret)
    expect(JSON.stringify(failure)).not.toContain('hunter2')
  })

  it('is redacted in names, ids and places too', () => {
    const secret = `ghp_${'x1Y2'.repeat(9)}`
    const failure = classify(
      {
        exitCode: 1,
        signal: secret,
        stdout: JSON.stringify({ type: 'result', is_error: true, session_id: secret, result: 'rate limit' }),
        stderr: '',
      },
      { provider: secret, model: secret },
    )
    expect(failure?.sessionId).toBeDefined()
    expect(JSON.stringify(failure)).not.toContain(secret)
    expect(
      JSON.stringify(classify({ error: { [`${secret}Error`]: { message: 'rate limit' } } })),
    ).not.toContain(secret)
  })

  it('leaves no half of a secret where a text is cut', () => {
    const secret = `sk-ant-api03-${'x1Y2'.repeat(40)}`
    for (let lead = 7_900; lead < 8_300; lead += 10) {
      const text = `${'x '.repeat(lead / 2)}${secret} rate limit ${'y '.repeat(60_000)}`
      expect(JSON.stringify(classify(text))).not.toContain('sk-ant-api03-x1')
    }
    for (let lead = 0; lead < 3_000; lead += 40) {
      const line = `${secret}${'-x1Y2'.repeat(300)} ${'z '.repeat(lead)} rate limit exceeded`
      expect(JSON.stringify(classify(line))).not.toContain('x1Y2')
    }
  })

  it('shows no characters that reorder or hide text', () => {
    const failure = classify('rate limit \u202egnirts\u202c \u200bhidden \u0007 \u009b31m exceeded')
    expect(JSON.stringify(failure)).not.toMatch(
      /[\u0000-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069]|\\u00/,
    )
  })

  it('keeps at most 8 KB of text', () => {
    expect(classify(`odd ${'x'.repeat(100_000)}`)?.text?.length).toBeLessThanOrEqual(8_192)
  })
})

describe('throttleHint', () => {
  it('finds the limit that a success hit on the way', () => {
    expect(
      throttleHint(ended(0, { stdout: 'done', stderr: 'usage limit reached, try again in 2h' })),
    ).toMatchObject({ class: 'throttle', retryAfterMs: 7_200_000 })
  })

  it('is null if nothing mentions one', () => {
    expect(throttleHint(ended(0, { stdout: 'done', stderr: 'connection reset, reconnected' }))).toBeNull()
    expect(throttleHint(ended(0, { stdout: 'all good' }))).toBeNull()
  })

  it.each([
    ended(0, { stdout: 'Rate limit exceeded (429): I explained in the docs what it means.' }),
    ended(0, { stdout: 'usage limit reached, try again in 2h' }),
    ended(0, { stdout: 'The client prints "rate limited, retrying in 5s (attempt 1/2)" now.' }),
    'Rate limit exceeded',
    { content: [{ type: 'text', text: 'Too many requests: rate limit exceeded' }] },
    { status: 200, headers: {}, body: 'rate limit exceeded' },
  ])('does not read the answer: %j', output => {
    expect(throttleHint(output)).toBeNull()
    const signatures = new Signatures('p', { throttle: ['rate limit', 'usage limit'] })
    expect(throttleHint(output, { signatures })).toBeNull()
  })
})

describe('status and code', () => {
  it('are those of the try that decided', () => {
    const server = Object.assign(new Error('boom'), { status: 500, code: 'internal_error' })
    const money = Object.assign(new Error('insufficient balance'), { status: 402, code: 'no_money' })
    expect(classify(new AggregateError([server, money], 'gave up'))).toMatchObject({
      kind: 'billing',
      status: 402,
      code: 'no_money',
    })
  })

  it('keep a number as a code, but no word that names nothing', () => {
    expect(classify({ name: 'E', message: 'odd', code: 1302 })).toMatchObject({ code: '1302' })
    expect(classify({ error: { code: -32001, message: 'odd' } })).toMatchObject({ code: '-32001' })
    expect(
      classify({ type: 'error', error: { type: 'error', code: 'error', message: 'odd' } })?.code,
    ).toBeUndefined()
  })
})

describe('the message', () => {
  it('says what failed, if anything was said', () => {
    expect(classify(new Error('The operation was cut short'), { own: { aborted: true } })?.message).toBe(
      'The operation was cut short',
    )
    expect(classify(new Error('outer', { cause: 'socket hang up' }))?.message).toBe('outer: socket hang up')
  })
})

describe('what the caller itself did', () => {
  const fine = ended(0, { stdout: 'done' })

  it('is the failure of a program that ended well', () => {
    expect(classify(fine)).toBeNull()
    expect(classify(fine, { own: { aborted: true } })?.class).toBe('aborted')
    expect(classify(fine, { own: { rail: 'max_turns' } })?.kind).toBe('max_turns')
  })

  it('is the failure of work that returned a success', () => {
    const success = { ok: true }
    expect(classify(success, { returned: true })).toBeNull()
    expect(classify(success, { returned: true, own: { aborted: true } })?.class).toBe('aborted')
    expect(classify(success, { returned: true, own: { rail: 'max_turns' } })?.kind).toBe('max_turns')
  })

  it('is named once next to what the output shows was waited for', () => {
    const failure = classify({
      ...ended(null, { stderr: 'HTTP 429 Too Many Requests' }),
      signal: 'SIGTERM',
      timedOut: true,
    })
    expect(failure?.class).toBe('throttle')
    const rules = [failure?.evidence.rule, ...(failure?.evidence.lost ?? []).map(({ rule }) => rule)]
    expect(new Set(rules).size).toBe(rules.length)
  })
})

it('an input that says nothing is not shown as JSON', () => {
  expect(classify('')?.message).not.toBe('""')
})

it('a flake recognised by a signature is not a throttle hint', () => {
  const signatures = new Signatures('p', { flake: ['too many requests'] })
  const output = ended(0, { stdout: 'done', stderr: 'HTTP 429 Too Many Requests' })
  expect(throttleHint(output, { provider: 'p' })?.class).toBe('throttle')
  expect(throttleHint(output, { provider: 'p', signatures })).toBeNull()
})
