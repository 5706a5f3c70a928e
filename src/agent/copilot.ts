import { readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { copilot as profile } from '../failure/cli/copilot.ts'
import { bearer, keyIn, under } from './asks.ts'
import { type Cli, type Login, type LoginSources, repeated, session, type Take, value, words } from './cli.ts'
import { type Fields, objectIn } from './fields.ts'
import { isGiven, jsonFile } from './login-file.ts'
import { onlySession, type SessionSearch } from './session-search.ts'
import { answerEnd, type SideRecord } from './side-record.ts'
import type { Environment } from './variables.ts'

const TOKENS = ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN']

/** GitHub Copilot CLI. Its own retries cannot be turned off, so they are watched. */
export const copilot: Cli = {
  name: 'copilot',
  profile,
  binary: 'copilot',
  credentialEnv: 'COPILOT_GITHUB_TOKEN',
  promptBy: 'stdin',
  tellsCost: false,
  minVersion: '1.0.102',
  lostSession: /No session, task, or name matched/i,
  install: 'npm install -g @github/copilot',
  loginCommand: 'copilot login, or set COPILOT_GITHUB_TOKEN',
  takes: {
    model: value('--model'),
    addDir: repeated('--add-dir'),
    permissionMode: words('--allow-all', {
      default: [],
      acceptEdits: ['--allow-tool=write'],
      plan: ['--mode', 'plan'],
      auto: ['--allow-all-tools'],
      bypassPermissions: ['--allow-all'],
    }),
    allowedTools: joined('--allow-tool'),
    disallowedTools: joined('--deny-tool'),
    mcpConfig: { flag: '--additional-mcp-config', give: paths => ({ argv: paths.flatMap(mcpFile) }) },
    agent: value('--agent'),
    effort: value('--reasoning-effort'),
    resume: session('--resume'),
    sessionId: value('--session-id'),
  },
  argv: ({ given, resume }) => [
    '--output-format',
    'json',
    // No person is there to answer, and a run must not update the program under the next one.
    '--no-ask-user',
    '--no-auto-update',
    ...(resume === undefined ? [] : ['--resume', resume]),
    ...given,
  ],
  env: () => ({}),
  findSession,
  sideRecord: {
    path: (id, env) => join(homeOf(env), 'session-state', id, 'events.jsonl'),
    mark: /"(?:session\.usage_record|assistant\.turn_start)"/,
    read: recordedEnd,
  },
  connection: {
    trusts: 'system',
    asks: ({ env }) =>
      env.COPILOT_PROVIDER_BASE_URL
        ? {
            url: under(env.COPILOT_PROVIDER_BASE_URL, 'chat/completions'),
            key: keyIn(bearer(env.COPILOT_PROVIDER_BEARER_TOKEN || env.COPILOT_PROVIDER_API_KEY)),
          }
        : undefined,
  },
  login: async sources => loginOf(sources),
  loginPlace: {
    home: ({ COPILOT_HOME: given }, user) => given || join(user, '.copilot'),
    files: ['config.json'],
    variables: [
      ...TOKENS,
      'COPILOT_PROVIDER_BASE_URL',
      'COPILOT_PROVIDER_API_KEY',
      'COPILOT_PROVIDER_BEARER_TOKEN',
    ],
  },
}

/** List entries after `=`: as separate arguments, the list would swallow what follows. */
function joined(flag: string): Take<readonly string[]> {
  return { flag, give: entries => ({ argv: entries.map(entry => `${flag}=${entry}`) }) }
}

const mcpFile = (path: string) => ['--additional-mcp-config', `@${path}`]

const homeOf = (env: Environment) => env.COPILOT_HOME || join(env.HOME || homedir(), '.copilot')

/** It reports its session only at the end, so the session of a killed run is found by its folder. */
function findSession(search: SessionSearch): string | undefined {
  const folder = join(homeOf(search.env), 'session-state')
  const sessions = orElse([], () => readdirSync(folder)).map(id => {
    const about = orElse('', () => readFileSync(join(folder, id, 'workspace.yaml'), 'utf8'))
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(about)?.[1]?.trim() ?? ''
    return { id, cwd: field('cwd'), createdAtMs: () => Date.parse(field('created_at')) }
  })
  return onlySession(search, sessions)
}

/** An event in its session file, where each request has its own record. */
function recordedEnd({ type, data, timestamp }: Fields): ReturnType<SideRecord['read']> {
  const atMs = Date.parse(String(timestamp))
  if (type === 'assistant.turn_start') return { end: undefined, atMs }
  const { finishReason, interactionType = MAIN } = objectIn(objectIn(data).usage)
  if (type !== 'session.usage_record' || interactionType !== MAIN) return undefined
  return { end: finishReason === undefined ? undefined : answerEnd(finishReason), atMs }
}

/** Its word for the main conversation; helpers have their own words. */
const MAIN = 'conversation-agent'

function orElse<T>(otherwise: T, read: () => T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}

/** In its own order: its own model provider, a token, then the account in the system's keychain. */
function loginOf({ env, home, readFile }: LoginSources): Login {
  if (isGiven(env.COPILOT_PROVIDER_BASE_URL)) {
    return isGiven(env.COPILOT_PROVIDER_API_KEY) || isGiven(env.COPILOT_PROVIDER_BEARER_TOKEN)
      ? { state: 'present', by: 'the key for COPILOT_PROVIDER_BASE_URL' }
      : { state: 'unsure', why: 'COPILOT_PROVIDER_BASE_URL is set without a key; a local model needs none' }
  }
  const token = TOKENS.find(name => isGiven(env[name]))
  if (token !== undefined) return { state: 'present', by: token }
  const folder = env.COPILOT_HOME || join(home, '.copilot')
  const { loggedInUsers, logged_in_users: older } = jsonFile(readFile(join(folder, 'config.json')))
  const users = loggedInUsers ?? older
  if (Array.isArray(users) && users.length > 0)
    return { state: 'unsure', why: "an account is known; its token is in the system's keychain" }
  if (readFile(join(home, '.config', 'gh', 'hosts.yml')) !== undefined)
    return { state: 'unsure', why: 'it may use the login of the GitHub CLI, which was not tested' }
  return { state: 'missing' }
}
