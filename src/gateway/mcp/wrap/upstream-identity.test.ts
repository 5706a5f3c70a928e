import { describe, expect, it } from 'vitest'
import { commandHash, identityOf } from './upstream-identity.ts'
import type { UpstreamSettings } from './upstream-settings.ts'

const KEY = Buffer.alloc(32, 1)
type Env = Record<string, string>
const ENV = { GITHUB_TOKEN: 'a', HOME: '/home', PATH: '/bin' }
const program = (more: object = {}, settings: Partial<UpstreamSettings> = {}) =>
  identityOf({ target: { by: 'stdio', argv: ['server'], cwd: '/work', env: ENV, ...more }, ...settings }, KEY)
const remote = (headers: Env, url = 'https://example.com/mcp') =>
  identityOf({ target: { by: 'http', url, headers } }, KEY)

it.each<[string, object]>([
  ['another argument', { argv: ['server', '--admin'] }],
  ['another folder', { cwd: '/other' }],
  ...[
    ...[
      'GITHUB_TOKEN',
      'NOTION_API_KEY',
      'MY_SECRET',
      'PGPASSWORD',
      'PGUSER',
      'AWS_PROFILE',
      'JIRA_EMAIL',
      'HOME',
    ],
    ...['SLACK_BOT_TOKEN', 'DATABASE_URL', 'tracker_auth', 'KUBECONFIG', 'AZURE_TENANT_ID', 'OPENAI_API_KEY'],
    ...['ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN', 'SENTRY_DSN', 'GOOGLE_APPLICATION_CREDENTIALS'],
  ].map(name => [`another ${name}`, { env: { ...ENV, [name]: 'b' } }] as [string, object]),
])('tells a program with %s apart', (_what, more) => {
  expect(program(more)).not.toBe(program())
})

it('counts every variable that the config itself sets', () => {
  expect(program({}, { ownEnv: { REGION: 'eu' } })).not.toBe(program({}, { ownEnv: { REGION: 'us' } }))
})

it('tells remote servers apart by URL and headers', () => {
  const mine = remote({ authorization: 'Bearer mine' })
  expect(remote({ authorization: 'Bearer yours' })).not.toBe(mine)
  expect(remote({})).not.toBe(mine)
  expect(remote({ authorization: 'Bearer mine' }, 'https://example.com/other')).not.toBe(mine)
})

describe('is the same in two sessions of one login', () => {
  /** What the real clients, terminals and package managers give each session anew. */
  const OF_SESSION: Record<string, readonly string[]> = {
    claude: ['CLAUDE_CODE_MESSAGING_SOCKET', 'CLAUDE_CODE_MESSAGING_TOKEN', 'CLAUDE_CODE_SESSION_ID'].concat([
      'CLAUDE_CODE_SSE_PORT',
      'CLAUDE_CODE_SESSION_ACCESS_TOKEN',
      'ANTHROPIC_BASE_URL',
      'AI_AGENT',
    ]),
    opencode: [
      'OPENCODE_PID',
      'OPENCODE_CONFIG_CONTENT',
      'npm_config_user_agent',
      'OPENCODE_SERVER_PASSWORD',
    ],
    gemini: [
      'GEMINI_CLI_NO_RELAUNCH',
      'GOOGLE_GEMINI_BASE_URL',
      'GEMINI_CLI_IDE_SERVER_PORT',
      'GEMINI_CLI_IDE_AUTH_TOKEN',
    ],
    codex: ['CODEX_SANDBOX', 'CODEX_SESSION_TOKEN', 'CODEX_INTERNAL_ORIGINATOR'],
    'a client that nobody knows': ['ACME_SESSION_TOKEN', 'ACME_RUN_SOCKET', 'ACME_TURN', 'AGENT_PID'],
    'a terminal': [
      'TERM_SESSION_ID',
      'SSH_AUTH_SOCK',
      'SSH_CONNECTION',
      'WINDOWID',
      'PWD',
      'SHLVL',
      'TMUX_PANE',
    ],
    mulligan: ['MULLIGAN_SESSION', 'MULLIGAN_TREE'],
  }
  it.each(Object.entries(OF_SESSION))('of %s', (_client, names) => {
    const env = (value: string) => ({ ...Object.fromEntries(names.map(name => [name, value])), ...ENV })
    expect(program({ env: env('one') })).toBe(program({ env: env('two') }))
    expect(program({ env: env('one') })).toBe(program())
  })
})

it('is what the user says, whatever the environment and arguments are', () => {
  const other = { argv: ['server@2'], env: { ...ENV, GITHUB_TOKEN: 'renewed' } }
  expect(program(other, { identity: 'work' })).toBe(program({}, { identity: 'work' }))
  expect(program({}, { identity: 'home' })).not.toBe(program({}, { identity: 'work' }))
})

it('depends on the key, so that nobody can guess a credential from it', () => {
  const target = { by: 'http' as const, url: 'https://example.com/mcp', headers: {} }
  expect(identityOf({ target }, Buffer.alloc(32, 2))).not.toBe(identityOf({ target }, KEY))
})

it('knows a command by itself, whoever uses it and where', () => {
  const hash = (target: object) =>
    commandHash(
      { target: { by: 'stdio', argv: ['server'], cwd: '/work', env: ENV, ...target } } as never,
      KEY,
    )
  expect(hash({ cwd: '/other', env: { GITHUB_TOKEN: 'b' } })).toBe(hash({}))
  expect(hash({ argv: ['server', '-v'] })).not.toBe(hash({}))
})
