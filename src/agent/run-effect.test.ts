import { describe, expect, it } from 'vitest'
import { buildSignatureMap } from '../failure/signature-map.ts'
import { FakeTime } from '../testing/fake-time.ts'
import type { AgentSettings } from './settings.ts'
import { line, refuse, work } from './test-bodies.ts'
import { type Given, running } from './test-runs.ts'

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
    [
      'claude',
      'a part of an answer',
      `${line({ type: 'stream_event', event: { type: 'content_block_delta' } })}; ${refuse({ api_error_status: 401, result: 'Invalid API key' })}`,
    ],
    ['claude', 'a cost', refuse({ api_error_status: 401, result: 'Invalid API key', total_cost_usd: 0.01 })],
    ['claude', 'turns', refuse({ api_error_status: 401, result: 'Invalid API key', num_turns: 2 })],
    [
      'claude',
      'an unknown event',
      `${line({ type: 'tool_deferral', session_id: 's-1' })}; ${refuse({ api_error_status: 401, result: 'Invalid API key' })}`,
    ],
    ['claude', 'unknown words', `say('I have begun to delete things\\n'); end(1)`],
    ['codex', 'a command', item('command_execution')],
    ['codex', 'thoughts', item('reasoning')],
    ['codex', 'an unknown item', item('teleport')],
    // It reports tools only when they are done.
    [
      'opencode',
      'a step that has begun',
      `${line({ type: 'step_start', sessionID: 'ses_1', part: {} })}; ${[1, 2, 3].map(() => streamError('AI_APICallError: overloaded')).join(';')}; hang()`,
    ],
    ['gemini', 'a tool', `${geminiInit}; ${line({ type: 'tool_use', tool_name: 'edit' })}; ${geminiFails}`],
    ['kimi', 'an answer', `${kimiInit}; ${line({ role: 'assistant', content: 'on it' })}; ${kimiFails}`],
    [
      'qwen',
      'an answer about an error',
      `${qwenInit}; ${line({ type: 'assistant', message: { id: 'm0', content: [{ type: 'text', text: '[API Error: 500] is what the log says' }], usage: { input_tokens: 9, output_tokens: 9 } } })}; ${qwenFails}`,
    ],
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
