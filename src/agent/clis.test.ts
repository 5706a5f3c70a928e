import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Stubs } from '../../test/agent/stub.ts'
import { CLIS } from './clis.ts'
import { followEvent } from './output-reader.ts'
import { resume } from './resume.ts'
import { runAgent } from './run-agent.ts'
import { RunProgress } from './run-progress.ts'
import type { AgentSettings } from './settings.ts'

const stubs = new Stubs()
let count = 0

function running(cli: AgentSettings['cli'], body: string, more: Partial<AgentSettings> = {}) {
  const binary = stubs.make(`${cli}-${++count}`, body)
  return runAgent({ id: `my-${cli}`, cli, binary, ...more }, { prompt: 'fix it' })
}

/** Real CLI output, shortened. */
const lines = (...events: object[]) => events.map(event => `out(${JSON.stringify(event)})`).join(';')

describe('an answer of', () => {
  it('codex is its last message; its cost is unknown, not zero', async () => {
    const body = lines(
      { type: 'thread.started', thread_id: 't-1' },
      { type: 'item.completed', item: { id: 'item_0', type: 'error', message: 'Model metadata not found.' } },
      { type: 'turn.started' },
      { type: 'item.completed', item: { type: 'agent_message', text: 'I will look.' } },
      { type: 'item.completed', item: { type: 'command_execution', command: 'ls', exit_code: 0 } },
      { type: 'item.completed', item: { type: 'agent_message', text: 'Done.' } },
      { type: 'turn.completed', usage: { input_tokens: 100, cached_input_tokens: 40, output_tokens: 7 } },
    )
    expect(await running('codex', body)).toMatchObject({
      ok: true,
      text: 'Done.',
      sessionId: 't-1',
      turns: 3,
      costUsd: null,
      usage: { inputTokens: 100, cachedTokens: 40, outputTokens: 7 },
    })
    expect(stubs.starts(`codex-${count}`)[0]).toMatchObject({
      input: 'fix it',
      args: expect.arrayContaining(['exec', '--json', '-']),
    })
  })

  it('opencode is what its last step says; its steps add up', async () => {
    const body = lines(
      { type: 'step_start', timestamp: 1, sessionID: 'ses_1', part: {} },
      { type: 'text', timestamp: 2, sessionID: 'ses_1', part: { text: 'Let me see.' } },
      { type: 'tool_use', timestamp: 3, sessionID: 'ses_1', part: { state: { status: 'completed' } } },
      {
        type: 'step_finish',
        timestamp: 4,
        sessionID: 'ses_1',
        part: { reason: 'tool-calls', cost: 0.01, tokens: { input: 10, output: 2, cache: { read: 5 } } },
      },
      { type: 'step_start', timestamp: 5, sessionID: 'ses_1', part: {} },
      { type: 'text', timestamp: 6, sessionID: 'ses_1', part: { text: 'Done.' } },
      {
        type: 'step_finish',
        timestamp: 7,
        sessionID: 'ses_1',
        part: { reason: 'stop', cost: 0.02, tokens: { input: 20, output: 3 } },
      },
    )
    expect(await running('opencode', body)).toMatchObject({
      ok: true,
      text: 'Done.',
      sessionId: 'ses_1',
      turns: 2,
      costUsd: 0.03,
      usage: { inputTokens: 35, cachedTokens: 5, outputTokens: 5 },
    })
  })

  it('opencode stands although an error came before it and its exit code is 1', async () => {
    const body = `${lines(
      {
        type: 'error',
        timestamp: 1,
        sessionID: 'ses_1',
        error: { name: 'ContextOverflowError', data: { message: 'too long' } },
      },
      { type: 'step_start', timestamp: 2, sessionID: 'ses_1', part: {} },
      { type: 'text', timestamp: 3, sessionID: 'ses_1', part: { text: 'Done after all.' } },
      {
        type: 'step_finish',
        timestamp: 4,
        sessionID: 'ses_1',
        part: { reason: 'stop', cost: 0, tokens: {} },
      },
    )}; end(1)`
    expect(await running('opencode', body)).toMatchObject({ ok: true, text: 'Done after all.' })
  })

  it('gemini is everything it says after its last tool', async () => {
    const body = lines(
      { type: 'init', timestamp: 't', session_id: 'g-1', model: 'gemini-2.5-pro' },
      { type: 'message', timestamp: 't', role: 'user', content: 'fix it' },
      { type: 'message', timestamp: 't', role: 'assistant', content: 'Looking', delta: true },
      { type: 'tool_use', timestamp: 't', tool_name: 'ls', tool_id: '1', parameters: {} },
      { type: 'tool_result', timestamp: 't', tool_id: '1', status: 'success', output: 'a' },
      { type: 'message', timestamp: 't', role: 'assistant', content: 'All ', delta: true },
      { type: 'message', timestamp: 't', role: 'assistant', content: 'done.', delta: true },
      {
        type: 'result',
        timestamp: 't',
        status: 'success',
        stats: { total_tokens: 30, input_tokens: 20, output_tokens: 10, cached: 4 },
      },
    )
    expect(await running('gemini', body)).toMatchObject({
      ok: true,
      text: 'All done.',
      sessionId: 'g-1',
      model: 'gemini-2.5-pro',
      turns: 2,
      usage: { inputTokens: 20, outputTokens: 10, cachedTokens: 4 },
    })
  })

  it('kimi is the last message of the assistant; the prompt is an argument', async () => {
    const body = lines(
      { role: 'meta', type: 'system.version', version: '2.1.0' },
      { role: 'assistant', content: 'Looking', tool_calls: [{ id: '1' }] },
      { role: 'tool', content: 'a', tool_call_id: '1' },
      { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
      { role: 'meta', type: 'session.resume_hint', session_id: 'k-1', command: 'kimi -S k-1', content: '' },
    )
    expect(await running('kimi', body)).toMatchObject({ ok: true, text: 'Done.', sessionId: 'k-1', turns: 2 })
    expect(stubs.starts(`kimi-${count}`)[0]).toMatchObject({
      input: '',
      args: ['--output-format', 'stream-json', '-p', 'fix it'],
    })
  })

  it('qwen is its result', async () => {
    const body = lines(
      { type: 'system', subtype: 'init', session_id: 'q-1', model: 'qwen3', qwen_code_version: '0.24' },
      {
        type: 'assistant',
        session_id: 'q-1',
        message: {
          id: 'm1',
          content: [{ type: 'text', text: 'Hm' }],
          usage: { input_tokens: 4, output_tokens: 1 },
        },
      },
      {
        type: 'result',
        subtype: 'success',
        session_id: 'q-1',
        is_error: false,
        result: 'Done.',
        num_turns: 1,
        usage: { input_tokens: 9, output_tokens: 2 },
      },
    )
    expect(await running('qwen', body)).toMatchObject({
      ok: true,
      text: 'Done.',
      sessionId: 'q-1',
      model: 'qwen3',
      turns: 1,
      costUsd: null,
    })
  })

  it('any other program is what it prints', async () => {
    expect(await running('command', `say('got ' + input)`)).toMatchObject({
      ok: true,
      text: 'got fix it',
      sessionId: null,
      costUsd: null,
    })
  })

  it('codex is data if a schema was given', async () => {
    const binary = stubs.make(
      'codex-schema',
      lines(
        { type: 'item.completed', item: { type: 'agent_message', text: '{"fixed":2}' } },
        { type: 'turn.completed', usage: {} },
      ),
    )
    const outcome = await runAgent(
      { id: 'codex', cli: 'codex', binary },
      { prompt: 'x', options: { jsonSchema: '{"type":"object"}' } },
    )
    expect(outcome).toMatchObject({ ok: true, structured: { fixed: 2 } })
  })
})

describe('a failure of', () => {
  it.each<[AgentSettings['cli'], string, object]>([
    [
      'codex',
      `${lines({ type: 'thread.started', thread_id: 't-1' }, { type: 'turn.started' }, { type: 'error', message: 'Quota exceeded. Check your plan and billing details.' }, { type: 'turn.failed', error: { message: 'Quota exceeded. Check your plan and billing details.' } })}; end(1)`,
      { class: 'throttle', sessionId: 't-1' },
    ],
    [
      'codex',
      `warn('Not inside a trusted directory and --skip-git-repo-check was not specified.'); end(1)`,
      { class: 'permanent', kind: 'config' },
    ],
    [
      'codex',
      `warn("error: unexpected argument '--no-such-flag' found"); end(2)`,
      { class: 'permanent', kind: 'config' },
    ],
    [
      'opencode',
      `${lines({ type: 'error', timestamp: 1, sessionID: 'ses_1', error: { name: 'APIError', data: { message: 'Too Many Requests', statusCode: 429, isRetryable: true, responseHeaders: { 'retry-after': '60' } } } })}; end(1)`,
      { class: 'throttle', kind: 'rate_limit', retryAfterMs: 60_000, sessionId: 'ses_1' },
    ],
    [
      'opencode',
      `warn('timestamp=2026-11-15T23:47:10.386Z level=ERROR run=1 message="Failed to fetch models.dev" cause="Unable to connect"'); ${lines({ type: 'error', timestamp: 1, sessionID: 'ses_1', error: { name: 'ProviderAuthError', data: { message: 'no key' } } })}; end(1)`,
      { class: 'permanent', kind: 'auth' },
    ],
    [
      'gemini',
      `${lines({ type: 'init', session_id: 'g-1', model: 'm' }, { type: 'result', timestamp: 't', status: 'error', error: { type: 'TerminalQuotaError', message: '[API Error: You have exhausted your daily quota on this model.]' }, stats: {} })}; end(1)`,
      { class: 'throttle', kind: 'quota', sessionId: 'g-1' },
    ],
    [
      'gemini',
      `warn('Please set an Auth method in your settings.json or specify one of the following environment variables before running: GEMINI_API_KEY'); end(41)`,
      { class: 'permanent', kind: 'auth' },
    ],
    [
      'gemini',
      lines({ type: 'init', session_id: 'g-1', model: 'm' }),
      { class: 'transient', kind: 'stream_cut' },
    ],
    [
      'kimi',
      `warn('error: failed to run prompt: provider.rate_limit: Too Many Requests'); end(1)`,
      { class: 'throttle', kind: 'rate_limit' },
    ],
    [
      'qwen',
      `warn('Ripgrep not available: spawn rg EACCES. Falling back to built-in grep.'); ${lines({ type: 'result', subtype: 'error_during_execution', session_id: 'q-1', is_error: true, num_turns: 0, error: { message: 'No auth type is selected. Please configure an auth type.' } })}; end(1)`,
      { class: 'permanent', kind: 'auth' },
    ],
  ])('%s is reported correctly: %s', async (cli, body, failure) => {
    expect(await running(cli, body)).toMatchObject({
      ok: false,
      failure: { ...failure, provider: `my-${cli}` },
    })
  })
})

describe('what a CLI says about a session that it no longer has', () => {
  it.each<[AgentSettings['cli'], string]>([
    ['claude', 'No conversation found with session ID: 70642e35-c133-4cd2-a127-4f735c4938e2'],
    [
      'codex',
      'Error: thread/resume: thread/resume failed: no rollout found for thread id 01a1e089-2863-70b3-8402-7ae62b0e3abe (code -32600)',
    ],
    ['opencode', '\u001b[91m\u001b[1mError: \u001b[0mSession not found'],
    ['gemini', 'Error resuming session: No previous sessions found for this project.'],
  ])('is recognised for %s', async (cli, text) => {
    const binary = stubs.make(`${cli}-${++count}`, `warn(${JSON.stringify(text)}); end(1)`)
    const session = {
      provider: cli,
      id: 'gone-1',
      cwd: stubs.folder,
      totalUsd: null,
      totalUsage: null,
      depth: 1,
    }
    expect(await runAgent({ id: cli, cli, binary }, { prompt: 'go on', session })).toMatchObject({
      ok: false,
      failure: { kind: 'not_found', evidence: { rule: 'agent:session_lost' }, effect: 'none' },
    })
    expect(stubs.starts(`${cli}-${count}`)[0]?.args).toContain('gone-1')
  })
})

it('counts what a resumed run used, although codex counts from the start of the session', async () => {
  const used = (input: number, output: number) =>
    lines(
      { type: 'thread.started', thread_id: 't-1' },
      { type: 'item.completed', item: { type: 'agent_message', text: 'done' } },
      {
        type: 'turn.completed',
        usage: { input_tokens: input, cached_input_tokens: 0, output_tokens: output },
      },
    )
  const binary = stubs.make('codex-twice', `if (start === 1) { ${used(100, 7)} } else { ${used(250, 14)} }`)
  const codex = { id: 'codex', cli: 'codex', binary, price: { inputUsd: 1, outputUsd: 10 } } as const
  const first = await runAgent(codex, { prompt: 'x' })
  const second = await resume(first, codex)
  expect(second).toMatchObject({
    usage: { inputTokens: 150, outputTokens: 7 },
    costUsd: expect.closeTo(0.00022),
    session: { totalUsage: { inputTokens: 250, outputTokens: 14 } },
  })
})

it.each(Object.values(CLIS))('$name is read without error, for any output', cli => {
  const types = [
    'result',
    'assistant',
    'system',
    'error',
    'step_finish',
    'text',
    'item.completed',
    'turn.completed',
    'message',
    'init',
  ]
  fc.assert(
    fc.property(fc.object(), fc.constantFrom(...types), fc.string(), (event, type, text) => {
      const progress = new RunProgress({ inputUsd: 1, outputUsd: 1 }, {})
      const inside = { type, message: event, part: event, item: event, usage: event, stats: event }
      if (cli.profile)
        for (const value of [{ ...event, type }, inside]) followEvent(cli.profile, value, progress)
      cli.watchText?.(text, progress)
      cli.isNoise?.(text)
      expect(progress.costUsd === null || Number.isFinite(progress.costUsd)).toBe(true)
    }),
  )
})

it('no CLI is listed twice', () => {
  expect(new Set(Object.values(CLIS).map(({ name }) => name)).size).toBe(Object.keys(CLIS).length)
  for (const [name, cli] of Object.entries(CLIS)) expect(cli.name).toBe(name)
})
