import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fail, line } from '../../test/agent/bodies.ts'
import { type Given, running, stubs } from '../../test/agent/runs.ts'
import { CLAUDE_ANSWER } from '../../test/agent/stub.ts'

describe('a failed run', () => {
  it.each<[string, string, Given, object]>([
    [
      'a login that is refused, although it came as a result',
      fail({ api_error_status: 401, result: 'Invalid API key · Fix external API key', num_turns: 1 }),
      {},
      { failure: { class: 'permanent', kind: 'auth', outcome: 'auth' }, authReason: 'invalid_credentials' },
    ],
    [
      'no login',
      `say('Not logged in · Please run /login\\n'); end(1)`,
      {},
      { failure: { class: 'permanent', kind: 'auth', outcome: 'auth' }, authReason: 'not_authenticated' },
    ],
    [
      'a login that has expired',
      fail({ api_error_status: 401, result: 'Login expired · Please run /login' }),
      {},
      { failure: { kind: 'auth' }, authReason: 'expired' },
    ],
    [
      'the login of a cloud in front of it',
      `warn('Bedrock auth failed: AWS credentials not found in chain'); end(1)`,
      {},
      { failure: { kind: 'auth' }, authReason: 'provider_error' },
    ],
    [
      'the login of a proxy in between, and says where it goes',
      fail({ api_error_status: 407, result: 'API Error: 407 Proxy Authentication Required' }),
      {},
      {
        failure: {
          kind: 'auth',
          message: expect.stringMatching(/Required\. Log in to the proxy: .*HTTPS_PROXY/),
        },
      },
    ],
    [
      'a network that wants a login, although the CLI says that it passes',
      fail({ api_error_status: 511, result: 'API Error: 511 Network Authentication Required. Try again.' }),
      {},
      {
        failure: {
          kind: 'auth',
          message: expect.stringMatching(/again\. Log in to the network with a browser/),
        },
      },
    ],
    [
      'a certificate that is not accepted, and says what to check',
      `say('Unable to connect to API: self signed certificate\\n'); end(1)`,
      {},
      { failure: { kind: 'tls', message: expect.stringContaining('NODE_EXTRA_CA_CERTS') } },
    ],
    [
      'a limit of the plan',
      fail({
        api_error_status: 429,
        result: "You've hit your weekly limit · resets 3pm (UTC)",
        num_turns: 40,
        total_cost_usd: 1.9,
      }),
      {},
      {
        failure: {
          class: 'throttle',
          kind: 'usage_limit',
          outcome: 'rate_limit',
          turns: 40,
          costUsd: 1.9,
          sessionId: 's-1',
        },
        authReason: 'rate_limit',
      },
    ],
    [
      'the ceiling of turns',
      fail({ subtype: 'error_max_turns', errors: ['Reached maximum number of turns (3)'], num_turns: 3 }),
      {},
      {
        failure: {
          class: 'rail',
          kind: 'max_turns',
          outcome: 'max_turns_exceeded',
          turns: 3,
          sessionId: 's-1',
        },
      },
    ],
    [
      "the CLI's ceiling of cost",
      fail({
        subtype: 'error_max_budget_usd',
        errors: ['Reached maximum budget ($2)'],
        total_cost_usd: 2.31,
      }),
      {},
      { failure: { class: 'rail', kind: 'max_budget', outcome: 'max_budget_exceeded', costUsd: 2.31 } },
    ],
    [
      'an overloaded model',
      fail({ api_error_status: 529, result: 'API Error: Repeated 529 Overloaded errors.' }),
      {},
      { failure: { class: 'transient', kind: 'overloaded', outcome: 'result_error' } },
    ],
    [
      'an error result with exit code 0',
      line({
        ...CLAUDE_ANSWER,
        is_error: true,
        api_error_status: 500,
        result: 'API Error: 500 Internal server error',
      }),
      {},
      { failure: { class: 'transient', kind: 'server_error' } },
    ],
    [
      'no JSON at all and exit code 0',
      `say('hello there\\n')`,
      {},
      { failure: { class: 'transient', kind: 'bad_json', outcome: 'json', effect: 'maybe' } },
    ],
    [
      'half a line of JSON and exit code 0',
      `${line({ type: 'system', subtype: 'init', session_id: 's-1', claude_code_version: '2.1.0' })}; say('{"type":"assist')`,
      {},
      { failure: { class: 'transient', kind: 'bad_json', outcome: 'json', sessionId: 's-1' } },
    ],
    [
      'nothing printed and exit code 0',
      '',
      {},
      { failure: { class: 'transient', kind: 'bad_json', outcome: 'json' } },
    ],
    [
      'a program killed by a signal',
      `process.kill(process.pid, 'SIGKILL'); hang()`,
      {},
      { failure: { class: 'unknown', signal: 'SIGKILL', outcome: 'command_failed' } },
    ],
    [
      'a program of unknown nature',
      `warn('it did not work'); end(3)`,
      { cli: 'command' },
      { failure: { class: 'unknown', kind: 'unknown', outcome: 'command_failed', exitCode: 3 } },
    ],
    [
      'a panic of the CLI, which another may do without',
      `warn("thread 'main' panicked at core/src/session.rs:412:9:"); end(101)`,
      { cli: 'codex' },
      { failure: { class: 'unknown', kind: 'crash', outcome: 'command_failed', exitCode: 101 } },
    ],
    [
      'a mistake in the code of the CLI',
      `warn("TypeError: Cannot read properties of undefined (reading 'text')"); end(1)`,
      { cli: 'gemini' },
      { failure: { class: 'unknown', kind: 'crash', exitCode: 1 } },
    ],
    [
      'a panic of a program of unknown nature',
      `warn("thread 'main' panicked at src/main.rs:4:2:"); end(101)`,
      { cli: 'command' },
      { failure: { class: 'unknown', kind: 'crash' } },
    ],
    [
      'a program whose disk failed',
      'end(74)',
      { cli: 'command' },
      { failure: { class: 'unknown', kind: 'io', outcome: 'io' } },
    ],
    [
      'tools that were not allowed, and no answer',
      `warn('! permission requested: bash (rm -rf x); auto-rejecting')`,
      { cli: 'opencode' },
      { failure: { class: 'permanent', kind: 'config', message: expect.stringContaining('bash') } },
    ],
    [
      'a prompt that no program can be given',
      '',
      { cli: 'kimi', request: { prompt: 'private\0' } },
      { failure: { kind: 'config', message: 'option prompt: must not contain a null byte' } },
    ],
    [
      'a program that is not there',
      '',
      { settings: { binary: '/nowhere/claude' } },
      {
        failure: {
          class: 'permanent',
          kind: 'binary_not_found',
          outcome: 'binary_not_found',
          effect: 'none',
        },
      },
    ],
    [
      'a program that cannot be executed',
      '',
      { settings: { binary: join(stubs.folder, 'plain.txt') } },
      { failure: { class: 'permanent', kind: 'binary_not_found', outcome: 'binary_not_found' } },
    ],
    [
      'a command line that the system does not take',
      '',
      { cli: 'kimi', request: { prompt: 'x'.repeat(300_000) } },
      { failure: { effect: 'none', outcome: expect.stringMatching(/io|command_failed/) } },
    ],
    [
      'a working folder that is not there',
      '',
      { request: { options: { workingDir: '/no/such/folder' } } },
      {
        failure: { class: 'permanent', kind: 'config', message: expect.stringContaining('/no/such/folder') },
      },
    ],
    [
      'permission for everything, which the provider does not allow',
      '',
      { request: { options: { permissionMode: 'bypassPermissions' } } },
      { failure: { class: 'permanent', kind: 'dangerous_not_allowed', outcome: 'dangerous_not_allowed' } },
    ],
    [
      'a tool pattern that is none',
      '',
      { request: { options: { allowedTools: ['Read', 'Bash(rm -rf'] } } },
      { failure: { class: 'permanent', kind: 'invalid_tool_pattern', outcome: 'invalid_tool_pattern' } },
    ],
    [
      'an option that the CLI lacks',
      '',
      { cli: 'codex', request: { options: { fallbackModel: 'other' } } },
      { failure: { kind: 'config', message: 'option fallbackModel: codex has no such option' } },
    ],
    [
      'a version that is too old',
      `say('1.0.9 (Claude Code)')`,
      { settings: { minVersion: '2.1.0' } },
      {
        failure: {
          class: 'permanent',
          kind: 'version_mismatch',
          outcome: 'version_mismatch',
          effect: 'none',
        },
      },
    ],
    [
      'an unreadable version',
      `say('latest')`,
      { settings: { minVersion: '2.1.0' } },
      { failure: { class: 'permanent', kind: 'invalid_version', outcome: 'invalid_version' } },
    ],
    [
      'a key that is not set',
      '',
      { settings: { credentialEnv: 'KEY_OF_WORK' } },
      {
        failure: { class: 'permanent', kind: 'auth', message: expect.stringContaining('KEY_OF_WORK') },
        authReason: 'not_authenticated',
      },
    ],
    [
      'a worktree outside of a repository',
      '',
      { request: { options: { worktree: true, workingDir: stubs.folder } } },
      { failure: { class: 'permanent', kind: 'not_a_git_repo', outcome: 'not_a_git_repo' } },
    ],
    [
      'a worktree without git',
      '',
      { request: { options: { worktree: true } }, run: { env: { PATH: '/nowhere' } } },
      { failure: { class: 'permanent', kind: 'git_unavailable', outcome: 'git_unavailable' } },
    ],
  ])('reports %s', async (_title, body, given, expected) => {
    writeFileSync(join(stubs.folder, 'plain.txt'), 'no program', { mode: 0o600 })
    const outcome = await running(body, given)
    expect(outcome).toMatchObject({ ok: false, ...expected })
    const { provider } = (outcome as { failure: { provider?: string } }).failure
    expect(provider).toBe(outcome.provider)
  })

  it('keeps private values out of the failure', async () => {
    const outcome = await running('', {
      request: { options: { effort: 'my secret word' as never } },
    })
    expect(outcome).toMatchObject({ ok: false, failure: { kind: 'config' } })
    expect(JSON.stringify(outcome)).not.toContain('my secret word')
  })
})

describe('a run that reports success', () => {
  const geminiEnd = (more: string) =>
    `${line({ type: 'init', session_id: 's-1', model: 'm' })}; ${more}; ${line({ type: 'result', status: 'success', stats: { input_tokens: 9 } })}`
  const step = (reason: string, text = '') =>
    `${line({ type: 'step_start', sessionID: 'ses_1', part: {} })}; ${text === '' ? '' : `${line({ type: 'text', sessionID: 'ses_1', part: { text } })};`} ${line({ type: 'step_finish', sessionID: 'ses_1', part: { reason, cost: 0, tokens: { input: 5, output: 0 } } })}`

  it.each<[string, Given['cli'], string, object]>([
    [
      'claude, without a word',
      'claude',
      line({ ...CLAUDE_ANSWER, result: '' }),
      { class: 'transient', kind: 'bad_json' },
    ],
    [
      'opencode, without a word',
      'opencode',
      step('stop'),
      { class: 'transient', kind: 'bad_json', effect: 'none', did: 'said' },
    ],
    [
      'opencode, cut at its longest length',
      'opencode',
      step('length', 'half'),
      { class: 'rail', kind: 'max_tokens' },
    ],
    [
      'opencode, filtered',
      'opencode',
      step('content-filter', 'half'),
      { class: 'permanent', kind: 'content_policy' },
    ],
    [
      'opencode, after an error',
      'opencode',
      step('error', 'half'),
      { class: 'transient', kind: 'server_error' },
    ],
    [
      'codex, without a word',
      'codex',
      line({ type: 'turn.completed', usage: { input_tokens: 9, output_tokens: 0 } }),
      { class: 'transient', kind: 'bad_json' },
    ],
    [
      'gemini, which went round in circles',
      'gemini',
      geminiEnd(
        `${line({ type: 'tool_use', tool_name: 'ls' })}; ${line({ type: 'error', severity: 'warning', message: 'Loop detected, stopping execution' })}`,
      ),
      { class: 'rail', kind: 'max_steps', effect: 'maybe' },
    ],
    [
      'claude, whose model refused',
      'claude',
      line({ ...CLAUDE_ANSWER, result: '', stop_reason: 'refusal' }),
      { class: 'permanent', kind: 'content_policy' },
    ],
    [
      'claude, whose answer broke off',
      'claude',
      line({
        ...CLAUDE_ANSWER,
        result: 'API Error: Connection lost mid-response. The response above may be incomplete.',
      }),
      { class: 'transient', kind: 'stream_cut' },
    ],
    [
      'qwen, whose answer a filter ended',
      'qwen',
      `${line({ type: 'assistant', session_id: 's', message: { id: '1', content: [{ type: 'text', text: 'half' }], stop_reason: 'content_filter' } })}; ${line({ ...CLAUDE_ANSWER, result: 'half' })}`,
      { class: 'permanent', kind: 'content_policy' },
    ],
    [
      'qwen, whose whole answer is a refusal',
      'qwen',
      line({ ...CLAUDE_ANSWER, result: "I'm sorry, but I can't assist with that." }),
      { class: 'permanent', kind: 'content_policy' },
    ],
  ])('but failed: %s', async (_name, cli, body, failure) => {
    expect(await running(body, cli ? { cli } : {})).toMatchObject({ ok: false, failure })
  })

  it('succeeded if it did something, even without saying so', async () => {
    const edit = line({
      type: 'assistant',
      session_id: 's-1',
      message: { id: 'm1', content: [{ type: 'tool_use', name: 'Edit' }], usage: {} },
    })
    expect(await running(`${edit}; ${line({ ...CLAUDE_ANSWER, result: '' })}`)).toMatchObject({
      ok: true,
      text: '',
    })
  })

  it('succeeded if it only talks about a refusal', async () => {
    const result =
      'The bot answers "I can\'t assist with that." where the prompt is blocked; I fixed the filter.'
    expect(await running(line({ ...CLAUDE_ANSWER, result }))).toMatchObject({ ok: true })
  })
})

it('calls an answer that does not decompress transient', async () => {
  const result =
    'API Error: ZlibError fetching "http://127.0.0.1:1/v1/messages?beta=true". For more information, pass `verbose: true` in the second argument to fetch()'
  expect(await running(fail({ api_error_status: null, result }))).toMatchObject({
    failure: { class: 'transient', kind: 'bad_json' },
  })
})

it("reports a proxy's login as fixed elsewhere", async () => {
  const refused = fail({ api_error_status: 407, result: 'API Error: 407 Proxy Authentication Required' })
  expect(await running(refused)).toMatchObject({
    failure: { class: 'permanent', kind: 'auth', evidence: { rule: 'http.proxy_login' } },
    authReason: 'provider_error',
  })
})
