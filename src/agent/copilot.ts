import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { copilot as profile } from '../failure/cli/copilot.ts'
import { type Cli, type Login, type LoginSources, repeated, session, type Take, value, words } from './cli.ts'
import { isGiven, jsonFile } from './login-file.ts'

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
    // Nobody is there to answer, and a run must not change the program under the next one.
    '--no-ask-user',
    '--no-auto-update',
    ...(resume === undefined ? [] : ['--resume', resume]),
    ...given,
  ],
  env: () => ({}),
  findSession,
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

/** A list that stands behind `=`: a list of its own would take what follows as well. */
function joined(flag: string): Take<readonly string[]> {
  return { flag, give: entries => ({ argv: entries.map(entry => `${flag}=${entry}`) }) }
}

const mcpFile = (path: string) => ['--additional-mcp-config', `@${path}`]

/**
 * It tells its session only at the end, so that of a run which was killed is looked up by its folder. Where several
 * began there since, nobody knows which is ours.
 */
function findSession({
  cwd,
  env,
  sinceMs,
}: Parameters<NonNullable<Cli['findSession']>>[0]): string | undefined {
  const sessions = join(env.COPILOT_HOME || join(env.HOME || homedir(), '.copilot'), 'session-state')
  const folders = new Set([cwd, orElse(cwd, () => realpathSync(cwd))])
  const begun = orElse([], () => readdirSync(sessions)).filter(id => {
    const about = orElse('', () => readFileSync(join(sessions, id, 'workspace.yaml'), 'utf8'))
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(about)?.[1]?.trim() ?? ''
    return folders.has(field('cwd')) && Date.parse(field('created_at')) >= sinceMs
  })
  return begun.length === 1 ? begun[0] : undefined
}

function orElse<T>(otherwise: T, read: () => T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}

/** In its order: a model provider of its own, a token, then the account that it keeps in the keychain of the system. */
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
    return { state: 'unsure', why: 'an account is known, and its token is in the keychain of the system' }
  if (readFile(join(home, '.config', 'gh', 'hosts.yml')) !== undefined)
    return { state: 'unsure', why: 'it may use the login of the GitHub CLI, which was not tried' }
  return { state: 'missing' }
}
