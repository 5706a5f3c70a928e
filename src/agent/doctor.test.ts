import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { Stubs } from '../../test/agent/stub.ts'
import { CLIS } from './clis.ts'
import { examine } from './doctor.ts'
import type { AgentSettings } from './settings.ts'

let stubs: Stubs
beforeEach(() => {
  stubs = new Stubs()
})

/** Checks an agent whose executable answers these arguments with these texts. */
function examined(
  cli: AgentSettings['cli'],
  answers: Record<string, string>,
  { env = {}, settings = {} }: { env?: Record<string, string>; settings?: Partial<AgentSettings> } = {},
) {
  stubs.make(
    CLIS[cli].binary || 'program',
    `const answer = ${JSON.stringify(answers)}[args.join(' ')]; if (answer === undefined) end(1); say(answer)`,
  )
  return examine(
    { id: `my-${cli}`, cli, ...settings },
    { env: { PATH: stubs.folder, HOME: stubs.folder, ...env }, cwd: stubs.folder },
  )
}

describe('an agent', () => {
  it('is usable when its program exists, is new enough, and is logged in', async () => {
    const checkup = await examined('claude', {
      '--version': '2.1.325 (Claude Code)',
      'auth status': '{"loggedIn":true,"authMethod":"claude.ai"}',
    })
    expect(checkup).toEqual({
      provider: 'my-claude',
      cli: 'claude',
      usable: true,
      binary: join(stubs.folder, 'claude'),
      version: '2.1.325',
      minVersion: '2.0.0',
      login: { state: 'present', by: 'claude.ai', isTold: true },
      checked: ['the program exists', 'its version', 'it says it is logged in (claude.ai)'],
      notChecked: ['that the vendor accepts the login', 'that the model exists and its limits allow calls'],
      complaints: [],
    })
  })

  it('is not usable when its program is missing; the install command is named', async () => {
    const checkup = await examine({ id: 'c', cli: 'codex' }, { env: { PATH: stubs.folder }, cwd: '/' })
    expect(checkup).toMatchObject({
      usable: false,
      complaints: [{ kind: 'binary_not_found', fix: 'npm install -g @openai/codex' }],
    })
  })

  it('is not usable when it is too old, or prints no version', async () => {
    const key = { env: { ANTHROPIC_API_KEY: 'k' } }
    expect(await examined('claude', { '--version': '1.0.9' }, key)).toMatchObject({
      usable: false,
      version: '1.0.9',
      complaints: [{ kind: 'version_mismatch' }],
    })
    expect(await examined('claude', { '--version': 'dev' }, key)).toMatchObject({
      usable: false,
      complaints: [{ kind: 'invalid_version' }],
    })
    const strict = { ...key, settings: { minVersion: '9.0.0' } }
    expect(await examined('claude', { '--version': '2.1.0' }, strict)).toMatchObject({
      minVersion: '9.0.0',
      usable: false,
    })
  })

  it('is not usable when the variable for its key is not set', async () => {
    const settings = { credentialEnv: 'KEY_OF_WORK' }
    expect(await examined('claude', { '--version': '2.1.0' }, { settings })).toMatchObject({
      usable: false,
      complaints: [{ kind: 'auth', message: expect.stringContaining('KEY_OF_WORK') }],
    })
    expect(
      await examined('claude', { '--version': '2.1.0' }, { settings, env: { KEY_OF_WORK: 'k' } }),
    ).toMatchObject({
      usable: true,
      login: { by: 'ANTHROPIC_API_KEY' },
    })
  })
})

describe('a login of claude', () => {
  it.each<[Record<string, string>, string]>([
    [{ CLAUDE_CODE_USE_BEDROCK: '1', ANTHROPIC_API_KEY: 'k' }, 'Bedrock'],
    [{ CLAUDE_CODE_USE_VERTEX: 'true', CLAUDE_CODE_OAUTH_TOKEN: 't' }, 'Vertex'],
    [{ CLAUDE_CODE_USE_BEDROCK: '1', CLAUDE_CODE_USE_VERTEX: '1' }, 'Bedrock'],
    [
      { CLAUDE_CODE_USE_BEDROCK: '0', CLAUDE_CODE_USE_VERTEX: 'false', ANTHROPIC_API_KEY: 'k' },
      'ANTHROPIC_API_KEY',
    ],
    [{ ANTHROPIC_API_KEY: 'k', CLAUDE_CODE_OAUTH_TOKEN: 't' }, 'ANTHROPIC_API_KEY'],
    [{ ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 't' }, 'CLAUDE_CODE_OAUTH_TOKEN'],
  ])('with %j is by %s', async (env, by) => {
    expect(await examined('claude', { '--version': '2.1.0' }, { env })).toMatchObject({
      login: { state: 'present', by },
    })
  })

  it('is missing when the CLI says so', async () => {
    const answers = { '--version': '2.1.0', 'auth status': '{"loggedIn":false}' }
    expect(await examined('claude', answers, { env: { ANTHROPIC_API_KEY: '  ' } })).toMatchObject({
      usable: false,
      login: { state: 'missing' },
      complaints: [{ kind: 'auth', fix: 'claude auth login' }],
    })
  })

  it('is unsure with a version that does not know the command', async () => {
    expect(await examined('claude', { '--version': '2.1.0' })).toMatchObject({
      usable: true,
      login: { state: 'unsure' },
    })
  })
})

describe('a login of', () => {
  it.each<[AgentSettings['cli'], Record<string, string>, Record<string, string>, string]>([
    ['codex', { 'login status': 'Logged in using ChatGPT' }, {}, 'present'],
    ['codex', {}, {}, 'missing'],
    ['codex', {}, { CODEX_API_KEY: 'k' }, 'present'],
    ['opencode', { 'auth list': '└  2 credentials\n' }, {}, 'present'],
    ['opencode', { 'auth list': '└  0 credentials\n' }, {}, 'unsure'],
    ['gemini', {}, { GEMINI_API_KEY: 'k' }, 'present'],
    ['gemini', {}, {}, 'missing'],
    ['gemini', {}, { GOOGLE_API_KEY: 'k' }, 'missing'],
    ['gemini', {}, { GOOGLE_GENAI_USE_VERTEXAI: 'true' }, 'unsure'],
    ['qwen', {}, { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://x/v1', OPENAI_MODEL: 'm' }, 'present'],
    ['qwen', {}, { OPENAI_API_KEY: 'k' }, 'missing'],
    ['qwen', {}, {}, 'missing'],
    ['kimi', {}, {}, 'missing'],
  ])('%s that answers %j with %j is %s', async (cli, answers, env, state) => {
    expect(await examined(cli, { '--version': '99.0.0', ...answers }, { env })).toMatchObject({
      login: { state },
    })
  })

  const hour = 3_600_000
  const oauth = { security: { auth: { selectedType: 'oauth-personal' } } }
  it.each<[AgentSettings['cli'], string, Record<string, string>, string, string]>([
    [
      'gemini',
      'that renews itself',
      { 'settings.json': JSON.stringify(oauth), 'oauth_creds.json': '{"refresh_token":"r"}' },
      'present',
      'login',
    ],
    [
      'gemini',
      'that is not chosen',
      { 'oauth_creds.json': '{"refresh_token":"r"}' },
      'missing',
      'choose a login method',
    ],
    [
      'gemini',
      'that is empty',
      { 'settings.json': JSON.stringify(oauth), 'oauth_creds.json': '{}' },
      'missing',
      'contains no login',
    ],
    [
      'gemini',
      'that has expired',
      {
        'settings.json': JSON.stringify(oauth),
        'oauth_creds.json': JSON.stringify({ access_token: 'a', expiry_date: Date.now() - hour }),
      },
      'missing',
      'expired',
    ],
    ['gemini', 'in the keychain', { 'settings.json': JSON.stringify(oauth) }, 'unsure', 'keychain'],
    ['gemini', 'by a key in its own file', { '.env': 'GEMINI_API_KEY=k\n' }, 'present', '.env'],
    [
      'qwen',
      'by a choice without a key',
      { 'settings.json': '{"security":{"auth":{"selectedType":"openai"}}}' },
      'missing',
      'OPENAI_API_KEY is not set',
    ],
    [
      'qwen',
      'by a key in its settings',
      { 'settings.json': '{"security":{"auth":{"selectedType":"openai","apiKey":"k"}}}' },
      'present',
      'settings',
    ],
    [
      'qwen',
      'by models with keys of their own',
      { 'settings.json': '{"security":{"auth":{"selectedType":"openai"}},"modelProviders":{}}' },
      'unsure',
      'not tested',
    ],
    [
      'qwen',
      'that is empty',
      { 'settings.json': '{"security":{"auth":{"selectedType":"qwen-oauth"}}}', 'oauth_creds.json': '' },
      'missing',
      'contains no login',
    ],
    [
      'kimi',
      'whose model is not there',
      { 'config.toml': 'default_model = "k2"\n' },
      'missing',
      'no model k2',
    ],
    ['kimi', 'whose config is broken', { 'config.toml': 'default_model = \n' }, 'missing', 'cannot be read'],
    [
      'kimi',
      'by a key',
      { 'config.toml': 'default_model = "k"\n[models.k]\nprovider = "p"\n[providers.p]\napi_key = "s"\n' },
      'present',
      'key of p',
    ],
    [
      'kimi',
      'that may be elsewhere',
      { 'config.toml': 'default_model = "k"\n[models.k]\nprovider = "p"\n[providers.p]\n' },
      'unsure',
      'no key',
    ],
    [
      'codex',
      'by a provider of its own',
      { 'config.toml': 'model_provider = "lab"\n[model_providers.lab]\nenv_key = "LAB_KEY"\n' },
      'present',
      'LAB_KEY',
    ],
    [
      'codex',
      'by one that is not there',
      { 'config.toml': 'model_provider = "gone"\n' },
      'missing',
      'no model_providers.gone',
    ],
    [
      'codex',
      'by one whose key is not set',
      { 'config.toml': 'model_provider = "lab"\n[model_providers.lab]\nenv_key = "NO_KEY"\n' },
      'missing',
      'NO_KEY, which is not set',
    ],
    [
      'codex',
      'by one that names no key',
      { 'config.toml': 'model_provider = "lab"\n[model_providers.lab]\n' },
      'unsure',
      'names no variable',
    ],
    [
      'codex',
      'whose login file is empty',
      { 'auth.json': '{"auth_mode":"chatgpt","OPENAI_API_KEY":null,"tokens":{}}' },
      'missing',
      'contains no login',
    ],
    [
      'codex',
      'whose login file holds one',
      { 'auth.json': '{"OPENAI_API_KEY":null,"tokens":{"refresh_token":"r"}}' },
      'present',
      'login',
    ],
  ])('%s %s is reported correctly', async (cli, _how, files, state, words) => {
    const folder = join(
      stubs.folder,
      { gemini: '.gemini', qwen: '.qwen', kimi: '.kimi-code', codex: '.codex' }[cli as 'gemini'],
    )
    mkdirSync(folder)
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
    // codex only checks that its login file exists.
    const answers = { '--version': '99.0.0', 'login status': 'Logged in using ChatGPT' }
    const checkup = await examined(cli, answers, { env: { LAB_KEY: 'k' } })
    expect(checkup).toMatchObject({ usable: state !== 'missing', login: { state } })
    expect(JSON.stringify(checkup.login)).toContain(words)
  })

  it('an unknown program is unsure, and is not asked for its version', async () => {
    const checkup = await examined('command', {}, { settings: { binary: 'program' } })
    expect(checkup).toMatchObject({ usable: true, login: { state: 'unsure' } })
    expect(stubs.starts('program')).toEqual([])
  })
})
