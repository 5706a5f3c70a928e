import { describe, expect, it } from 'vitest'
import { classify, throttleHint } from '../classify.ts'

const lines = (...events: object[]) => `${events.map(event => JSON.stringify(event)).join('\n')}\n`
const ended = (output: {
  exitCode?: number | null
  signal?: string | null
  stdout?: string
  stderr?: string
  timedOut?: boolean
}) => ({
  exitCode: output.signal ? null : 0,
  signal: null,
  stdout: '',
  stderr: '',
  ...output,
})

const PROSE = [
  'The log shows HTTP 429 Too Many Requests, 401 Unauthorized and "insufficient credits".',
  'I raised the timeout; "usage limit reached" is now retried and the prompt is too long error is gone.',
  '{"error":{"type":"rate_limit_error","message":"slow down"}}',
  'All 14 tests pass.',
].join('\n')

const claude = {
  init: { type: 'system', subtype: 'init', session_id: 's-1', claude_code_version: '2.1.0' },
  said: (text: string) => ({
    type: 'assistant',
    message: { role: 'assistant', content: [{ type: 'text', text }] },
    session_id: 's-1',
  }),
  tool: {
    type: 'user',
    message: { content: [{ type: 'tool_result', is_error: true, content: 'Error: 429 Too Many Requests' }] },
    session_id: 's-1',
  },
  retry: {
    type: 'system',
    subtype: 'api_retry',
    attempt: 1,
    max_retries: 10,
    retry_delay_ms: 500,
    error_status: 529,
    error: 'overloaded',
    session_id: 's-1',
  },
  done: {
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: PROSE,
    session_id: 's-1',
    num_turns: 4,
    total_cost_usd: 0.2,
  },
  failed: (result: string, more: object = {}) => ({
    type: 'result',
    subtype: 'success',
    is_error: true,
    result,
    session_id: 's-1',
    num_turns: 1,
    total_cost_usd: 0,
    ...more,
  }),
}
const codex = {
  thread: { type: 'thread.started', thread_id: 't-1' },
  turn: { type: 'turn.started' },
  again: { type: 'error', message: 'Reconnecting... 2/5 (unexpected status 429 Too Many Requests)' },
  failed: (message: string) => ({ type: 'turn.failed', error: { message } }),
}
const step = (type: string, part: object) => ({ type, timestamp: 1, sessionID: 'ses_1', part })

describe('a run that succeeded', () => {
  const successes: [string, ReturnType<typeof ended>][] = [
    ['prose', ended({ stdout: PROSE })],
    ['a result line', ended({ stdout: lines(claude.done) })],
    [
      'a stream of events',
      ended({
        stdout: lines(claude.init, claude.retry, claude.said('429'), claude.tool, claude.done, {
          type: 'system',
          subtype: 'info',
          session_id: 's-1',
        }),
      }),
    ],
    [
      'a list of all messages',
      ended({ stdout: JSON.stringify([claude.init, claude.said('x'), claude.done]) }),
    ],
    [
      'turns',
      ended({
        stdout: lines(
          codex.thread,
          codex.turn,
          codex.again,
          { type: 'item.completed', item: { type: 'agent_message', text: PROSE } },
          { type: 'turn.completed', usage: {} },
        ),
        stderr: '2026-01-01T00:00:00Z ERROR core: 401 Unauthorized\n',
      }),
    ],
    [
      'one object below a notice',
      ended({
        stdout: `Hook registry initialized\n${JSON.stringify({ session_id: 's-1', response: PROSE, stats: {} }, null, 2)}`,
      }),
    ],
    [
      'messages without an end',
      ended({
        stdout: lines(
          { role: 'assistant', content: PROSE },
          { role: 'tool', content: 'Error: 401 Unauthorized' },
          { role: 'assistant', content: 'done' },
        ),
      }),
    ],
    [
      'steps, although it exits with 1',
      ended({
        exitCode: 1,
        stdout: lines(
          {
            type: 'error',
            timestamp: 1,
            sessionID: 'ses_1',
            error: { name: 'ContextOverflowError', data: {} },
          },
          step('text', { text: PROSE }),
          step('step_finish', { reason: 'stop', cost: 0.1 }),
        ),
      }),
    ],
    [
      'a result, and is killed afterwards',
      ended({ signal: 'SIGKILL', stdout: lines(claude.init, claude.done) }),
    ],
    [
      'an object of its own with an error in it',
      ended({ stdout: '{"error":"rate limit exceeded","fix":"wait"}' }),
    ],
  ]

  it.each(successes)('is not a failure, no matter what it talks about: %s', (_name, output) => {
    expect(classify(output)).toBeNull()
  })

  it.each([
    'Fixed: usage limit reached is handled.',
    'The prompt is too long error is gone.',
    'Your quota exceeded test passes.',
  ])('is not a failure if its one sentence only names one: %s', answer => {
    expect(classify(ended({ stdout: answer }))).toBeNull()
  })

  it('stays a success although our timer fired', () => {
    const output = ended({
      signal: 'SIGKILL',
      timedOut: true,
      stdout: lines(claude.init, claude.retry, claude.done),
    })
    expect(classify(output)).toBeNull()
  })

  it('still tells provider health what it hit on the way', () => {
    const output = ended({
      stdout: lines(claude.init, { ...claude.retry, error_status: 429, error: 'rate_limit' }, claude.done),
    })
    expect(throttleHint(output)).toMatchObject({ class: 'throttle', kind: 'rate_limit' })
  })

  it('is not overruled by prose that quotes a failure event', () => {
    const stdout = `The stream then ends like this:\n{"type":"turn.failed","error":{"message":"429 Too Many Requests"}}\nso I handle it.`
    expect(classify(ended({ stdout }), { provider: 'codex' })).toBeNull()
  })
})

describe('an exit code of 0 that is a lie', () => {
  it.each([
    [
      'an answer that is a stop notice',
      { stdout: "You've hit your weekly limit · resets 3pm (UTC)" },
      'usage_limit',
    ],
    [
      'a result whose answer is one',
      { stdout: lines({ ...claude.done, result: 'Claude AI usage limit reached|1800000000' }) },
      'usage_limit',
    ],
    [
      'a result that says so',
      {
        stdout: lines({
          type: 'result',
          subtype: 'error_during_execution',
          is_error: true,
          error: 'Out of Credits Add credits',
          session_id: 'T-1',
        }),
      },
      'billing',
    ],
    [
      'a message of the assistant',
      {
        stdout: lines(
          {
            type: 'message',
            message: {
              role: 'assistant',
              content: [{ type: 'text', text: 'Ran into this error: Rate limit exceeded: x.' }],
            },
          },
          { type: 'complete', total_tokens: 1 },
        ),
      },
      'rate_limit',
    ],
    [
      'last words on stdout',
      { stdout: 'Aider v0.86\nLet me see the 401 Unauthorized.\nlitellm.RateLimitError: no\n' },
      'rate_limit',
    ],
    [
      'a complaint on stderr and no answer',
      { stderr: 'Error: Unauthorized. Check your access token.\n' },
      'auth',
    ],
    [
      'an answer that was blocked',
      {
        stdout: JSON.stringify(
          {
            session_id: 's-1',
            response: '',
            error: {
              type: 'INVALID_STREAM',
              message: 'The model response was blocked due to safety settings.',
            },
          },
          null,
          2,
        ),
      },
      'content_policy',
    ],
    [
      'events between lines for people',
      {
        stdout:
          'Agent is working\n--JSON Event--\n{\n  "kind": "ConversationErrorEvent",\n  "code": "LLMAuthenticationError",\n  "detail": "no"\n}\nGoodbye!\n',
      },
      'auth',
    ],
    [
      'a trajectory',
      { stdout: '{"trajectory":[],"info":{"exit_status":"submitted (exit_cost)"}}' },
      'max_budget',
    ],
  ])('is seen through: %s', (_name, output, kind) => {
    expect(classify(ended(output))).toMatchObject({ kind })
  })

  it('keeps the session of a run whose last event is missing', () => {
    expect(classify(ended({ stdout: lines(claude.init, claude.said('I begin')) }))).toMatchObject({
      kind: 'stream_cut',
      sessionId: 's-1',
      effect: 'maybe',
    })
  })
})

describe('what an agent says while it retries', () => {
  it('loses against the final error', () => {
    const stdout = lines(
      codex.thread,
      codex.turn,
      codex.again,
      codex.failed('stream disconnected before completion: stream closed'),
    )
    expect(classify(ended({ exitCode: 1, stdout }))).toMatchObject({ class: 'transient', kind: 'stream_cut' })
  })

  it('is the failure if nothing else is said', () => {
    expect(classify(ended({ exitCode: 1, stdout: lines(claude.init, claude.retry) }))).toMatchObject({
      class: 'transient',
      kind: 'overloaded',
    })
  })

  it.each([
    ['api_retry', lines(claude.init, claude.retry), 'overloaded'],
    ['Reconnecting', lines(codex.thread, codex.turn, codex.again), 'rate_limit'],
    ['a banner', 'Attempt 3 failed with status 429. Retrying with backoff...\n', 'rate_limit'],
  ])('is the failure when our timer fires meanwhile: %s', (_name, stdout, kind) => {
    expect(classify(ended({ signal: 'SIGKILL', timedOut: true, stdout }))).toMatchObject({ kind })
    expect(classify(ended({ signal: 'SIGTERM', stdout }), { own: { timedOut: true } })).toMatchObject({
      kind,
    })
  })

  it.each([
    ['Request timed out', 'timeout', 'timeout'],
    ['Bad Gateway', 'transient', 'server_error'],
    ['AI_JSONParseError: JSON parsing failed', 'transient', 'bad_json'],
    ['unknown', 'timeout', 'timeout'],
  ])("is not the title of opencode's log, but what stands behind it: %s", (error, cls, kind) => {
    const line = `timestamp=2026-01-01T00:00:00Z level=ERROR run=1 message="stream error" small=false error.error="${error}"\n`
    const output = ended({ signal: 'SIGTERM', timedOut: true, stderr: line.repeat(3) })
    expect(classify(output, { provider: 'opencode' })).toMatchObject({ class: cls, kind })
  })

  it('does not explain a signal sent by another process', () => {
    expect(classify(ended({ signal: 'SIGTERM', stdout: lines(claude.init, claude.retry) }))).toMatchObject({
      class: 'aborted',
    })
  })

  it('no longer counts once the agent went on', () => {
    const gotOver = {
      type: 'error',
      timestamp: 1,
      sessionID: 'ses_1',
      error: {
        name: 'APIError',
        data: { message: 'x', statusCode: 429, responseHeaders: { 'retry-after': '900' } },
      },
    }
    const last = {
      type: 'error',
      timestamp: 2,
      sessionID: 'ses_1',
      error: { name: 'ProviderAuthError', data: { message: 'no' } },
    }
    const failure = classify(ended({ exitCode: 1, stdout: lines(gotOver, step('tool_use', {}), last) }))
    expect(failure).toMatchObject({ class: 'permanent', kind: 'auth', effect: 'maybe' })
    expect(failure).not.toHaveProperty('retryAfterMs')
  })
})

describe('noise, transcripts and mixtures', () => {
  const transcript =
    'OpenAI Codex v0.99.0\n--------\nsession id: 0199a213-81c0\n--------\nuser\nfix the 401 Unauthorized\nexec\nnpm test: insufficient credits, 429 Too Many Requests\n'

  it('lets the final error of a transcript decide, not the work above it', () => {
    const failure = classify(
      ended({
        exitCode: 1,
        stderr: `${transcript}ERROR: stream disconnected before completion: stream closed\n`,
      }),
      { provider: 'codex' },
    )
    expect(failure).toMatchObject({ kind: 'stream_cut', effect: 'maybe', sessionId: '0199a213-81c0' })
  })

  it('sees only the banners of a transcript that was killed', () => {
    const stderr = `${transcript}ERROR: Reconnecting... 2/5 (unexpected status 503 Service Unavailable)\n`
    expect(classify(ended({ signal: 'SIGKILL', timedOut: true, stderr }))).toMatchObject({
      kind: 'overloaded',
    })
  })

  it('takes stdout for the answer if the agent complains on stderr', () => {
    const output = ended({
      exitCode: 1,
      stdout: 'I see 429 Too Many Requests in the log and',
      stderr: 'fetch failed\n',
    })
    expect(classify(output, { provider: 'gemini-cli' })).toMatchObject({ kind: 'network', effect: 'maybe' })
  })

  it('believes the last event before stderr', () => {
    const output = ended({
      exitCode: 1,
      stdout: lines(claude.init, claude.failed('Prompt is too long')),
      stderr: 'Error: 429 Too Many Requests\n',
    })
    expect(classify(output)).toMatchObject({ kind: 'context_overflow' })
  })

  it('reads a bare line among events as the error', () => {
    const stdout = `${lines({ role: 'assistant', content: '401 Unauthorized' })}LLM not set\n`
    expect(classify(ended({ exitCode: 1, stdout }), { provider: 'kimi-cli' })).toMatchObject({
      kind: 'config',
    })
  })

  it('finds the object on stderr after noise', () => {
    const stderr = `Loaded cached credentials.\n${JSON.stringify({ session_id: 's-1', error: { type: 'ApiError', message: 'no', code: 429 } }, null, 2)}`
    expect(classify(ended({ exitCode: 173, stderr }))).toMatchObject({
      kind: 'rate_limit',
      sessionId: 's-1',
      effect: 'none',
    })
  })

  it('skips log lines below warning level', () => {
    const stderr = lines(
      { level: 30, msg: 'retry after 429 Too Many Requests' },
      { level: 50, msg: 'invalid api key' },
    )
    expect(classify(ended({ exitCode: 1, stderr }))).toMatchObject({ kind: 'auth' })
  })
})

describe('a stream of events that ends without its last one, with exit code 0', () => {
  const init = { type: 'system', subtype: 'init', session_id: 's-1', apiKeySource: 'none', tools: [] }
  const bare = { type: 'system', subtype: 'init', session_id: 's-1', cwd: '/srv' }
  const streams: [string, string | undefined, object[]][] = [
    ['claude', 'claude', [bare, claude.said('I begin')]],
    ['claude, by its first line', undefined, [init, claude.said('I begin')]],
    ['claude, cut before its first word', 'claude', [bare]],
    ['claude, cut in the middle of a tool', 'claude-code', [init, claude.said('I begin'), claude.tool]],
    ['codex', 'codex', [codex.thread, codex.turn]],
    [
      'codex, after work',
      undefined,
      [codex.thread, codex.turn, { type: 'item.completed', item: { type: 'command_execution' } }],
    ],
    ['opencode', 'opencode', [step('step_start', {}), step('text', { text: 'I begin' })]],
    [
      'opencode, after tools',
      undefined,
      [step('step_start', {}), step('step_finish', { reason: 'tool-calls' })],
    ],
    [
      'gemini',
      'gemini-cli',
      [
        { type: 'init', timestamp: '2026-01-01T00:00:00Z', session_id: 's-1', model: 'm' },
        { type: 'message', timestamp: '2026-01-01T00:00:01Z', role: 'assistant', content: 'I', delta: true },
      ],
    ],
  ]

  it.each(streams)('was cut off: %s', (_name, provider, events) => {
    expect(classify(ended({ stdout: lines(...events) }), { provider })).toMatchObject({
      class: 'transient',
      kind: 'stream_cut',
      effect: 'maybe',
    })
  })

  it.each(streams)(
    'was cut off by our timer or by the caller, who know it: %s',
    (_name, provider, events) => {
      const output = ended({ stdout: lines(...events) })
      expect(classify(output, { provider, own: { timedOut: true } })).toMatchObject({
        class: 'timeout',
        kind: 'timeout',
      })
      expect(classify(output, { provider, own: { aborted: true } })).toMatchObject({ class: 'aborted' })
    },
  )

  it('is not assumed for an answer that happens to be JSON', () => {
    for (const stdout of ['{"a":1}\n', lines({ id: 1 }, { id: 2 }), lines({ type: 'fruit', name: 'fig' })])
      expect(classify(ended({ stdout }), { provider: 'claude' })).toBeNull()
  })

  it('is recognised if opencode has no finish reason: the stream was cut, and it asks again', () => {
    const events = [
      step('step_start', {}),
      step('text', { text: 'done' }),
      step('step_finish', { reason: 'unknown' }),
    ]
    for (const exitCode of [0, 1])
      expect(classify(ended({ exitCode, stdout: lines(...events) }))).toMatchObject({
        class: 'transient',
        kind: 'stream_cut',
      })
    const failed = [step('step_start', {}), step('step_finish', { reason: 'error' })]
    expect(classify(ended({ stdout: lines(...failed) }))).toMatchObject({ class: 'transient' })
  })

  it('is not assumed if the model stopped for a reason that opencode does not know', () => {
    const events = [
      step('step_start', {}),
      step('text', { text: 'done' }),
      step('step_finish', { reason: 'other' }),
    ]
    expect(classify(ended({ stdout: lines(...events) }))).toBeNull()
    expect(classify(ended({ exitCode: 1, stdout: lines(...events) }))).not.toBeNull()
    // It would have asked again, had our timer not stopped it.
    expect(classify(ended({ timedOut: true, stdout: lines(...events) }))).toMatchObject({ class: 'timeout' })
  })
})

describe('broken and large output', () => {
  it('may come as bytes', () => {
    const stdout = new TextEncoder().encode(lines(claude.init, claude.failed('Prompt is too long')))
    expect(classify({ exitCode: 1, signal: null, stdout, stderr: new Uint8Array() })).toMatchObject({
      kind: 'context_overflow',
    })
  })

  it('reads the last event although it broke off', () => {
    const stdout = `${lines(claude.init)}{"type":"result","subtype":"success","is_error":true,"result":"You've hit your weekly limit · res`
    expect(classify(ended({ exitCode: 1, stdout }))).toMatchObject({ kind: 'usage_limit', sessionId: 's-1' })
  })

  it('does not take half of an answer for a failure', () => {
    const stdout = `${lines(claude.init)}{"type":"assistant","message":{"content":[{"type":"text","text":"HTTP 429 Too Many Requests, credit bal`
    expect(classify(ended({ signal: 'SIGKILL', stdout }))).toMatchObject({
      class: 'unknown',
      kind: 'killed',
      effect: 'maybe',
    })
  })

  it('takes a line that is not JSON for text', () => {
    expect(classify(ended({ exitCode: 1, stdout: '{"type" 429 Too Many Requests' }))).toMatchObject({
      kind: 'rate_limit',
    })
    expect(classify(ended({ exitCode: 1, stdout: '{]\n{"a":\n' }))).toMatchObject({ class: 'unknown' })
  })

  it('finds the end after thousands of events', () => {
    const stdout =
      lines(claude.init) +
      lines(claude.tool).repeat(5_000) +
      lines(claude.failed('Prompt is too long', { num_turns: 900, total_cost_usd: 9 }))
    expect(classify(ended({ exitCode: 1, stdout }))).toMatchObject({
      kind: 'context_overflow',
      costUsd: 9,
      turns: 900,
      sessionId: 's-1',
      effect: 'maybe',
    })
  })

  it('finds the end although one line is longer than all that is kept', () => {
    const long = '429 Too Many Requests '.repeat(100_000)
    expect(classify(ended({ stdout: lines(claude.init, { ...claude.done, result: long }) }))).toBeNull()
    expect(
      classify(ended({ exitCode: 1, stdout: lines(claude.said(long), claude.failed('Prompt is too long')) })),
    ).toMatchObject({ kind: 'context_overflow' })
  })
})

describe('what a failed run has spent', () => {
  it.each([
    [
      'claude',
      lines(claude.failed('no', { num_turns: 3, total_cost_usd: 0.5 })),
      { sessionId: 's-1', turns: 3, costUsd: 0.5 },
    ],
    ['codex', lines(codex.thread, codex.turn, codex.failed('no')), { sessionId: 't-1', turns: 1 }],
    [
      'opencode',
      lines(
        step('step_finish', { reason: 'tool-calls', cost: 0.25 }),
        step('step_finish', { reason: 'tool-calls', cost: 0.5 }),
      ),
      { sessionId: 'ses_1', turns: 2, costUsd: 0.75 },
    ],
    [
      'copilot',
      lines(
        { type: 'session.error', data: { errorType: 'query', message: 'no' } },
        { type: 'result', sessionId: 'c-1', exitCode: 1 },
      ),
      { sessionId: 'c-1' },
    ],
    [
      'cline',
      lines(
        { ts: 't', type: 'run_start', sessionId: 'l-1' },
        { ts: 't', type: 'run_result', finishReason: 'error', iterations: 2, usage: { totalCost: 0.5 } },
      ),
      { sessionId: 'l-1', turns: 2, costUsd: 0.5 },
    ],
    [
      'roo',
      lines(
        { type: 'error', content: 'no' },
        { type: 'result', success: false, cost: { totalCost: 0.1 }, done: true },
      ),
      { costUsd: 0.1 },
    ],
    [
      'droid',
      lines({ type: 'error', source: 'agent_loop', message: 'no', session_id: 'd-1' }),
      { sessionId: 'd-1' },
    ],
  ])('is kept: %s', (provider, stdout, spent) => {
    expect(classify(ended({ exitCode: 1, stdout }), { provider })).toMatchObject(spent)
  })

  it('is read from words where there are no events', () => {
    expect(
      classify(
        ended({
          exitCode: 1,
          stdout: 'LLM not set',
          stderr: 'To resume this session: kimi -r 5a0c1b2e-1111\n',
        }),
      ),
    ).toMatchObject({ sessionId: '5a0c1b2e-1111' })
    expect(
      classify(
        ended({
          stdout:
            'Tokens: 3k sent, 200 received. Cost: $0.01 message, $0.02 session.\nlitellm.AuthenticationError: no\n',
        }),
      ),
    ).toMatchObject({ costUsd: 0.02 })
  })

  it('leaves the effect at none if a field says that the first request was refused', () => {
    const refused = { ...claude.failed('Credit balance is too low'), api_error_status: 402 }
    expect(classify(ended({ exitCode: 1, stdout: lines(claude.init, refused) }))).toMatchObject({
      kind: 'billing',
      effect: 'none',
    })
  })

  it('does not take the words of a notice as proof that nothing was done', () => {
    expect(
      classify(
        ended({ exitCode: 1, stdout: lines(claude.init, claude.failed('Credit balance is too low')) }),
      ),
    ).toMatchObject({ kind: 'billing', effect: 'maybe' })
  })

  it('makes the effect maybe once the agent has worked', () => {
    expect(
      classify(
        ended({
          exitCode: 1,
          stdout: lines(claude.init, claude.said('I begin'), claude.failed('Credit balance is too low')),
        }),
      ),
    ).toMatchObject({ effect: 'maybe' })
  })
})

describe('exit codes', () => {
  it.each([
    [41, 'auth'],
    [53, 'max_turns'],
    [55, 'config'],
    [173, 'rate_limit'],
    [145, 'auth'],
  ])('of one agent mean nothing elsewhere: %i', (exitCode, kind) => {
    expect(classify(ended({ exitCode }), { provider: 'gemini-cli' })).toMatchObject({ kind })
    expect(classify(ended({ exitCode }))).toMatchObject({ class: 'unknown', kind: 'command_failed' })
  })

  it('lose to banners if they only say that something failed', () => {
    const stdout = lines({ role: 'meta', type: 'turn.step.retrying', status_code: 429 })
    expect(classify(ended({ exitCode: 75, stdout }))).toMatchObject({ class: 'throttle' })
  })
})

describe('what an agent prints before its first request is no work', () => {
  const refused = { type: 'turn.failed', error: { code: 'invalid_api_key', message: 'no' } }
  const denied = {
    type: 'result',
    subtype: 'error_during_execution',
    is_error: true,
    session_id: 's-1',
    num_turns: 1,
    error: { code: 'invalid_api_key', message: '[API Error: 401 Incorrect API key provided]' },
  }
  it.each<[string, object, object]>([
    ['codex', { type: 'item.started', item: { type: 'error', message: 'no metadata' } }, refused],
    ['qwen', { type: 'stream_event', session_id: 's-1', event: { type: 'goal_state' } }, denied],
  ])('%s', (provider, before, end) => {
    const run = ended({ exitCode: 1, stdout: lines(before, end) })
    expect(classify(run, { provider })).toMatchObject({ kind: 'auth', effect: 'none' })
  })

  it('but a part of an answer is', () => {
    const part = { type: 'stream_event', session_id: 's-1', event: { type: 'content_block_delta' } }
    expect(classify(ended({ exitCode: 1, stdout: lines(part, denied) }), { provider: 'qwen' })).toMatchObject(
      {
        effect: 'maybe',
      },
    )
  })
})

describe('a crash', () => {
  const panic =
    "thread 'main' panicked at core/src/session.rs:412:9:\ncalled `Option::unwrap()` on a `None` value"
  const mistake = "TypeError: Cannot read properties of undefined (reading 'text')\n    at main (cli.js:1:2)"

  it.each([
    ['codex', 101, panic],
    ['claude', 1, mistake],
    ['gemini-cli', 70, ''],
    ['qwen-code', 1, 'panic: runtime error: invalid memory address or nil pointer dereference'],
  ])('of %s is one that another may not have: its caller cannot fix it', (provider, exitCode, stderr) => {
    expect(classify({ exitCode, signal: null, stdout: '', stderr }, { provider })).toMatchObject({
      class: 'unknown',
      kind: 'crash',
    })
  })

  it('of any other program is a bug in its code', () => {
    expect(classify({ exitCode: 101, signal: null, stdout: '', stderr: panic })).toMatchObject({
      class: 'permanent',
      kind: 'code_bug',
    })
  })
})

describe('what Claude Code says about an API failure', () => {
  const result = (fields: object) =>
    ended({
      exitCode: 1,
      stdout: lines({ ...claude.done, is_error: true, terminal_reason: 'api_error', ...fields }),
    })

  it.each([
    [
      "the vendor's type beats the status that wraps it",
      {
        api_error_status: 429,
        api_error_type: 'overloaded_error',
        result: 'API Error: Request rejected (429) · Try again',
      },
      'transient',
      'overloaded',
    ],
    [
      'a limit per day is no matter of length',
      {
        api_error_status: 429,
        api_error_type: 'rate_limit_error',
        result:
          'API Error: Request rejected (429) · Number of request tokens has exceeded your daily rate limit.',
      },
      'throttle',
      'usage_limit',
    ],
    [
      'no login helps where the country is not served',
      {
        api_error_status: 403,
        api_error_type: 'permission_error',
        result: 'Failed to authenticate. API Error: 403 Not allowed from unsupported countries.',
      },
      'permanent',
      'unsupported_region',
    ],
    [
      'nor where the edge blocks',
      {
        api_error_status: 403,
        result: 'Failed to authenticate. API Error: 403 Attention Required! | Cloudflare',
      },
      'permanent',
      'unsupported_region',
    ],
    [
      'the limit of output is one that can be set',
      {
        api_error: 'max_output_tokens',
        result: "API Error: Claude's response exceeded the 32000 output token maximum.",
      },
      'rail',
      'max_tokens',
    ],
  ])('%s', (_name, fields, cls, kind) => {
    expect(classify(result(fields), { provider: 'claude' })).toMatchObject({ class: cls, kind })
  })
})

describe('the error report that gemini prints next to its event', () => {
  const event = (message: string) =>
    lines(
      { type: 'init', timestamp: '2026-01-01T00:00:00Z', session_id: 'g-1', model: 'm' },
      {
        type: 'result',
        timestamp: '2026-01-01T00:00:01Z',
        status: 'error',
        error: { type: 'unknown', message },
        stats: {},
      },
    )
  const report = [
    'Error when talking to Gemini API Full report available at: /tmp/gemini-client-error-1.json TerminalQuotaError: Resource has been exhausted.',
    '    at retryWithBackoff (file:///app/chunk.js:1:2) {',
    "  cause: { code: 429, message: 'Resource has been exhausted.' },",
    '  retryDelayMs: undefined,',
    "  reason: 'INSUFFICIENT_G1_CREDITS_BALANCE',",
    '  status: 429',
    '}',
  ].join('\n')

  it('names the reason that the event leaves out', () => {
    const output = ended({
      exitCode: 173,
      stdout: event('[API Error: Resource has been exhausted.]'),
      stderr: report,
    })
    expect(classify(output, { provider: 'gemini' })).toMatchObject({ class: 'throttle', kind: 'billing' })
  })

  it('is not any other text on stderr', () => {
    const output = ended({
      exitCode: 173,
      stdout: event('[API Error: Resource has been exhausted.]'),
      stderr: 'Tool failed: insufficient account balance',
    })
    expect(classify(output, { provider: 'gemini' })).toMatchObject({ kind: 'rate_limit' })
  })
})
