import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { AgentCli } from '../config/agent-clis.ts'
import type { Environment } from './environment.ts'

/** Where a CLI keeps its login, and which variables stand in for one. */
interface LoginPlace {
  home(env: Environment, user: string): string
  files: readonly string[]
  variables: readonly string[]
}

/** A proxy on the way has a login of its own, which stands in its address. */
const PROXIES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy']

const under = (folder: string) => (_env: Environment, user: string) => join(user, folder)

const PLACES: Readonly<Record<Exclude<AgentCli, 'command'>, LoginPlace>> = {
  claude: {
    home: ({ CLAUDE_CONFIG_DIR: given }, user) => given || join(user, '.claude'),
    files: ['.credentials.json'],
    variables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
  },
  codex: {
    home: ({ CODEX_HOME: given }, user) => given || join(user, '.codex'),
    files: ['auth.json'],
    variables: ['CODEX_API_KEY', 'OPENAI_API_KEY'],
  },
  opencode: {
    home: ({ XDG_DATA_HOME: given }, user) => join(given || join(user, '.local', 'share'), 'opencode'),
    files: ['auth.json'],
    variables: [],
  },
  gemini: {
    home: under('.gemini'),
    files: ['oauth_creds.json', 'settings.json', '.env'],
    variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  },
  kimi: {
    home: ({ KIMI_CODE_HOME: given }, user) => given || join(user, '.kimi-code'),
    files: ['config.toml'],
    variables: [],
  },
  qwen: {
    home: ({ QWEN_HOME: given }, user) => given || join(user, '.qwen'),
    files: ['oauth_creds.json', 'settings.json'],
    variables: ['OPENAI_API_KEY', 'DASHSCOPE_API_KEY'],
  },
}

/**
 * A text that names the login of an agent CLI: the folder that it lives in, when its files last changed, and the keys in
 * its environment. It changes with a new login. Nothing but its hash may be kept.
 * @param env what the CLI sees
 * @returns undefined for a program whose login place is unknown
 */
export function loginTrace(cli: AgentCli, env: Environment): string | undefined {
  if (cli === 'command') return undefined
  const { home, files, variables } = PLACES[cli]
  const folder = home(env, env.HOME || homedir())
  return JSON.stringify([
    folder,
    files.map(file => changeOf(join(folder, file))),
    [...variables, ...PROXIES].map(name => env[name] ?? null),
  ])
}

function changeOf(file: string): readonly number[] | null {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat ? [stat.mtimeMs, stat.size] : null
}
