import { describe, expect, it } from 'vitest'
import { line, refuse, work } from '../../test/agent/bodies.ts'
import { type Given, running } from '../../test/agent/runs.ts'
import { buildSignatureMap } from '../failure/signature-map.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import type { AgentSettings } from './settings.ts'

type Cli = AgentSettings['cli']

const claudeInit = line({ type: 'system', subtype: 'init', session_id: 's-1', model: 'opus', tools: [] })
const codexInit = [
  line({ type: 'thread.started', thread_id: 't-1' }),
  line({
    type: 'item.completed',
    item: { id: 'item_0', type: 'error', message: 'Model metadata not found.' },
  }),
  line({ type: 'turn.started' }),
].join(';')
const reconnecting = (why: string) =>
  [1, 2, 3].map(n => line({ type: 'error', message: `Reconnecting... ${n}/5 (${why})` })).join(';')
const streamError = (why: string) =>
  `warn('timestamp=2026-11-15T23:47:11.691Z level=ERROR run=1 message="stream error" session.id=ses_1 small=false error.error="${why}"')`
const geminiInit = [
  line({ type: 'init', timestamp: 't', session_id: 's-1', model: 'm' }),
  line({ type: 'message', timestamp: 't', role: 'user', content: 'fix it' }),
].join(';')
const geminiFails = `${line({
  type: 'result',
  timestamp: 't',
  status: 'error',
  error: { type: 'unknown', message: '[API Error: exception TypeError: fetch failed sending request]' },
  stats: { total_tokens: 0, input_tokens: 0, output_tokens: 0, cached: 0 },
})}; end(1)`
const kimiInit = line({ role: 'meta', type: 'system.version', version: '2.1.0' })
const kimiFails = `warn('error: failed to run prompt: provider.api_error: 500 The server had an error'); end(1)`
const qwenInit = [
  line({ type: 'system', subtype: 'init', session_id: 's-1', model: 'm' }),
  line({
    type: 'stream_event',
    session_id: 's-1',
    event: { type: 'goal_state', goal_state: { goal: null } },
  }),
].join(';')
const qwenError = '[API Error: 500 The server had an error while processing your request.]'
const qwenFails = `${[
  line({
    type: 'assistant',
    session_id: 's-1',
    message: {
      id: 'm1',
      model: 'm',
      content: [{ type: 'text', text: qwenError }],
      usage: { input_tokens: 0, output_tokens: 0 },
    },
  }),
  line({
    type: 'result',
    subtype: 'error_during_execution',
    session_id: 's-1',
    is_error: true,
    num_turns: 1,
    usage: { input_tokens: 0, output_tokens: 0 },
    error: { message: qwenError },
  }),
].join(';')}; end(1)`

const effectOf = async (body: string, given: Given = {}) => {
  const outcome = await running(body, given)
  if (outcome.ok) throw new Error('it did not fail')
  return outcome.failure.effect
}

describe('a run that failed before any work had no effect', () => {
  it.each<[Cli, string, string]>([
    ['claude', 'a 500', `${claudeInit}; ${refuse({ api_error_status: 500, result: 'API Error: 500' })}`],
    [
      'codex',
      'a 500',
      `${codexInit}; ${line({ type: 'turn.failed', error: { message: 'stream error: 500' } })}; end(1)`,
    ],
    [
      'opencode',
      'a 500',
      `${line({ type: 'error', sessionID: 'ses_1', error: { name: 'APIError', data: { message: 'Internal server error', statusCode: 500 } } })}; end(1)`,
    ],
    ['gemini', 'a connection that was never made', `${geminiInit}; ${geminiFails}`],
    ['kimi', 'a 500', `${kimiInit}; ${kimiFails}`],
    ['qwen', 'a 500', `${qwenInit}; ${qwenFails}`],
  ])('%s: %s', async (cli, _why, body) => {
    expect(await effectOf(body, { cli })).toBe('none')
  })

  it.each<[Cli, string]>([
    [
      'claude',
      `${claudeInit}; ${line({ type: 'system', subtype: 'api_retry', session_id: 's-1', error_status: 401, error: 'authentication_failed' })}`,
    ],
    ['codex', `${codexInit}; ${reconnecting('Connection failed: error sending request')}`],
    ['opencode', [1, 2, 3].map(() => streamError('AI_APICallError: The model is overloaded.')).join(';')],
    [
      'gemini',
      `${geminiInit}; ${[1, 2, 3].map(n => `warn('Attempt ${n} failed with status 503. Retrying with backoff...')`).join(';')}`,
    ],
    [
      'kimi',
      `${kimiInit}; ${[1, 2, 3].map(n => line({ role: 'meta', type: 'turn.step.retrying', failed_attempt: n, max_attempts: 9, delay_ms: 5, status_code: 500, error_message: 'oops' })).join(';')}`,
    ],
    [
      'qwen',
      `${qwenInit}; ${[1, 2, 3].map(n => `warn('Attempt ${n} failed with status 500. Retrying with backoff...')`).join(';')}`,
    ],
  ])('even when the watch ended %s', async (cli, body) => {
    expect(await effectOf(`${body}; hang()`, { cli })).toBe('none')
  })

  it("even when its throttle is recognised by an operator's signature", async () => {
    const signatures = buildSignatureMap([{ id: 'my-codex', error_signatures: { throttle: ['on holiday'] } }])
    const body = `${codexInit}; ${line({ type: 'turn.failed', error: { message: 'the model is on holiday' } })}; end(1)`
    expect(await running(body, { cli: 'codex', run: { classify: { signatures } } })).toMatchObject({
      failure: { class: 'throttle', effect: 'none', evidence: { rule: 'signature:on holiday' } },
    })
  })

  it('even when the program crashed, could not be started, or was aborted before', async () => {
    expect(await effectOf(`${claudeInit}; process.abort()`)).toBe('none')
    expect(await effectOf('', { settings: { binary: '/nowhere/claude' } })).toBe('none')
    expect(await effectOf('', { cli: 'command', settings: { binary: '/nowhere/tool' } })).toBe('none')
    expect(await effectOf('', { run: { signal: AbortSignal.abort() } })).toBe('none')
  })
})

describe('a run may have had an effect', () => {
  const item = (type: string) =>
    `${codexInit}; ${line({ type: 'item.started', item: { type } })}; ${line({ type: 'turn.failed', error: { message: 'unexpected status 401 Unauthorized' } })}; end(1)`
  it.each<[Cli, string, string]>([
    ['claude', 'an answer', `${work}; ${refuse({ api_error_status: 401, result: 'Invalid API key' })}`],
    ['claude', 'turns', refuse({ api_error_status: 401, result: 'Invalid API key', num_turns: 2 })],
    [
      'claude',
      'an unknown event',
      `${line({ type: 'tool_deferral', session_id: 's-1' })}; ${refuse({ api_error_status: 401, result: 'Invalid API key' })}`,
    ],
    ['claude', 'unknown words', `say('I have begun to delete things\\n'); end(1)`],
    ['codex', 'a command', item('command_execution')],
    ['codex', 'an unknown item', item('teleport')],
    ['gemini', 'a tool', `${geminiInit}; ${line({ type: 'tool_use', tool_name: 'edit' })}; ${geminiFails}`],
  ])('of %s after %s', async (cli, _what, body) => {
    expect(await effectOf(body, { cli })).toBe('maybe')
  })

  it('if its deadline, the caller or a stall ended it, although nothing was seen', async () => {
    const until = (ms: number) => {
      const time = new FakeTime()
      return { time, onSession: () => void time.advance(ms) }
    }
    const body = `${claudeInit}; hang()`
    expect(await effectOf(body, { request: { options: { timeoutMs: 60_000 } }, run: until(60_000) })).toBe(
      'maybe',
    )
    expect(await effectOf(body, { settings: { stallMs: 30_000 }, run: until(30_000) })).toBe('maybe')
    const controller = new AbortController()
    const run = { signal: controller.signal, killGraceMs: 50, onSession: () => controller.abort() }
    expect(await effectOf(body, { run })).toBe('maybe')
  })

  it('if another process killed it', async () => {
    expect(await effectOf(`${claudeInit}; process.kill(process.pid, 'SIGKILL'); hang()`)).toBe('maybe')
  })

  it('if it is a generic command, no matter what it says', async () => {
    const refused = `warn('connect ECONNREFUSED 127.0.0.1:1'); end(1)`
    expect(await effectOf(refused, { cli: 'command' })).toBe('maybe')
  })

  it('if it continued a session in which something was done before', async () => {
    const session = { provider: 'my-claude', id: 's-1', cwd: '/', totalUsd: null, totalUsage: null, depth: 1 }
    const body = `${claudeInit}; ${refuse({ api_error_status: 529, result: 'API Error: Overloaded' })}`
    expect(await effectOf(body, { request: { session } })).toBe('maybe')
  })
})

describe('a run that only said or read something had no effect', () => {
  const claudeSays = (...content: object[]) =>
    `${claudeInit}; ${line({ type: 'assistant', session_id: 's-1', message: { id: 'm1', model: 'm', content } })}`
  const cut = refuse({ api_error_status: 500, result: 'API Error: Connection closed mid-response' })
  const text = { type: 'text', text: 'Let me look.' }
  const uses = (name: string) => ({ type: 'tool_use', id: 't1', name, input: {} })
  const result = line({ type: 'user', session_id: 's-1', message: { content: [{ type: 'tool_result' }] } })
  const opencodeSays = [
    line({ type: 'step_start', sessionID: 'ses_1', part: {} }),
    line({ type: 'text', sessionID: 'ses_1', part: { text: 'Let me look.' } }),
  ].join(';')
  const opencodeFails = `${line({ type: 'error', sessionID: 'ses_1', error: { name: 'UnknownError', data: { message: 'terminated' } } })}; end(1)`
  const opencodeUses = (tool: string) =>
    `${opencodeSays}; ${line({ type: 'tool_use', sessionID: 'ses_1', part: { tool, state: { status: 'completed' } } })}`
  const codexFails = `${line({ type: 'turn.failed', error: { message: 'stream disconnected before completion' } })}; end(1)`
  const codexSays = `${codexInit}; ${line({ type: 'item.completed', item: { type: 'agent_message', text: 'Let me' } })}`
  const geminiSays = `${geminiInit}; ${line({ type: 'message', role: 'assistant', content: 'Let me', delta: true })}`
  const kimiSays = `${kimiInit}; ${line({ role: 'assistant', content: 'on it' })}`
  const kimiUses = (name: string) =>
    line({ role: 'assistant', tool_calls: [{ id: 'c1', function: { name } }] })
  const qwenSays = `${qwenInit}; ${line({ type: 'assistant', message: { id: 'm0', content: [text], usage: { input_tokens: 9, output_tokens: 9 } } })}`
  const copilotSays = line({ type: 'assistant.message_delta', data: { deltaContent: 'Let me' } })
  const copilotUses = (toolName: string) => line({ type: 'tool.execution_start', data: { toolName } })
  const copilotFails = `${line({ type: 'session.error', data: { message: 'terminated' } })}; ${line({ type: 'result', sessionId: 's-1', exitCode: 1, usage: {} })}; end(1)`

  it.each<[Cli, string, string, string]>([
    ['claude', 'said', 'words', `${claudeSays(text)}; ${cut}`],
    [
      'claude',
      'said',
      'a part of an answer',
      `${line({ type: 'stream_event', event: { type: 'content_block_delta' } })}; ${cut}`,
    ],
    // It does not print half an answer, but its cost shows one.
    [
      'claude',
      'said',
      'words that it did not print',
      refuse({ api_error_status: 500, result: 'API Error: Connection lost', total_cost_usd: 0.01 }),
    ],
    ['claude', 'read', 'a file', `${claudeSays(text, uses('Read'))}; ${result}; ${cut}`],
    ['codex', 'said', 'words', `${codexSays}; ${codexFails}`],
    [
      'codex',
      'said',
      'thoughts',
      `${codexInit}; ${line({ type: 'item.started', item: { type: 'reasoning' } })}; ${codexFails}`,
    ],
    ['opencode', 'said', 'words', `${opencodeSays}; ${opencodeFails}`],
    ['opencode', 'read', 'a file', `${opencodeUses('read')}; ${opencodeFails}`],
    ['gemini', 'said', 'words', `${geminiSays}; ${geminiFails}`],
    [
      'gemini',
      'read',
      'a folder',
      `${geminiSays}; ${line({ type: 'tool_use', tool_name: 'list_directory' })}; ${geminiFails}`,
    ],
    ['kimi', 'said', 'words', `${kimiSays}; ${kimiFails}`],
    ['kimi', 'read', 'a file', `${kimiSays}; ${kimiUses('ReadFile')}; ${kimiFails}`],
    ['qwen', 'said', 'words', `${qwenSays}; ${qwenFails}`],
    ['copilot', 'said', 'words', `${copilotSays}; ${copilotFails}`],
    ['copilot', 'read', 'a file', `${copilotSays}; ${copilotUses('view')}; ${copilotFails}`],
  ])('%s %s: %s', async (cli, did, _what, body) => {
    const outcome = await running(body, { cli })
    expect(outcome).toMatchObject({ ok: false, failure: { effect: 'none', did } })
  })

  it.each<[Cli, string, string]>([
    ['claude', 'a shell', `${claudeSays(text, uses('Bash'))}; ${cut}`],
    ['claude', 'a tool of an MCP server', `${claudeSays(uses('mcp__files__Read'))}; ${cut}`],
    ['claude', 'a subagent beside a file', `${claudeSays(uses('Read'), uses('Task'))}; ${cut}`],
    ['claude', 'a result of a tool that it did not tell of', `${claudeSays(text)}; ${result}; ${cut}`],
    [
      'claude',
      'an unknown event',
      `${claudeSays(text)}; ${line({ type: 'tool_deferral', session_id: 's-1' })}; ${cut}`,
    ],
    ['claude', 'a broken line', `${claudeSays(text)}; say('{"type":"assist\\n'); ${cut}`],
    [
      'codex',
      'a search',
      `${codexSays}; ${line({ type: 'item.started', item: { type: 'web_search' } })}; ${codexFails}`,
    ],
    ['opencode', 'a shell', `${opencodeUses('bash')}; ${opencodeFails}`],
    [
      'opencode',
      'a shell that its log tells of before it starts',
      `${opencodeSays}; warn('timestamp=2026-11-17T20:51:22.209Z level=INFO run=d6 message=evaluated permission=bash pattern="rm x" action.action=allow'); ${opencodeFails}`,
    ],
    ['gemini', 'a tool without a name', `${geminiSays}; ${line({ type: 'tool_use' })}; ${geminiFails}`],
    ['kimi', 'a shell', `${kimiSays}; ${kimiUses('Bash')}; ${kimiFails}`],
    ['copilot', 'a shell', `${copilotSays}; ${copilotUses('bash')}; ${copilotFails}`],
  ])('but %s may have had one after %s', async (cli, _what, body) => {
    expect(await running(body, { cli })).toMatchObject({ ok: false, failure: { effect: 'maybe' } })
  })

  it('even if it was killed, where it tells of every tool before the tool starts', async () => {
    const killed = `process.kill(process.pid, 'SIGKILL'); hang()`
    const effects = {
      claude: `${claudeSays(text)}; ${killed}`,
      gemini: `${geminiSays}; ${killed}`,
      opencode: `${opencodeSays}; ${killed}`,
    }
    for (const [cli, body] of Object.entries(effects))
      expect(await effectOf(body, { cli: cli as Cli })).toBe('none')
    // These tell of a tool when it has ended.
    const after = {
      codex: `${codexSays}; ${killed}`,
      kimi: `${kimiSays}; ${killed}`,
    }
    for (const [cli, body] of Object.entries(after))
      expect(await effectOf(body, { cli: cli as Cli })).toBe('maybe')
  })

  it('also in a session in which nothing else was done before', async () => {
    const session = { provider: 'my-claude', id: 's-1', cwd: '/', totalUsd: null, totalUsage: null, depth: 1 }
    expect(
      await effectOf(`${claudeSays(text)}; ${cut}`, { request: { session: { ...session, did: 'read' } } }),
    ).toBe('none')
    expect(
      await effectOf(`${claudeSays(text)}; ${cut}`, { request: { session: { ...session, did: 'acted' } } }),
    ).toBe('maybe')
  })
})
