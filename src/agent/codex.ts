import { join } from 'node:path'
import { codex as profile } from '../failure/cli/codex.ts'
import { bearer, keyIn, under } from './asks.ts'
import {
  type Argument,
  type Cli,
  type Login,
  type LoginSources,
  type OwnFiles,
  session,
  value,
  words,
} from './cli.ts'
import { codexConfig, modelProviderOf, withRequestLog } from './codex-config.ts'
import { isRequestLog, watchRequests } from './codex-log.ts'
import type { Asks } from './connection-look.ts'
import { objectIn, textIn } from './fields.ts'
import { isGiven, jsonFile } from './login-file.ts'
import { SELF_RETRIES_DEFAULT } from './settings.ts'

/** A setting of codex's config file as an argument: the value is TOML, of which JSON strings and lists are a subset. */
const setting = (key: string, content: unknown): string[] => ['-c', `${key}=${JSON.stringify(content)}`]

/** Codex CLI. */
export const codex: Cli = {
  name: 'codex',
  profile,
  binary: 'codex',
  credentialEnv: 'CODEX_API_KEY',
  promptBy: 'stdin',
  tellsCost: false,
  minVersion: '0.100.0',
  lostSession: /no rollout found for thread id|no thread with id|Session not found/i,
  install: 'npm install -g @openai/codex',
  loginCommand: 'codex login',
  takes: {
    model: value('-m'),
    addDir: {
      flag: '-c sandbox_workspace_write.writable_roots',
      give: folders => ({ argv: setting('sandbox_workspace_write.writable_roots', [folders].flat()) }),
    },
    appendSystemPrompt: {
      flag: '-c developer_instructions',
      give: text => ({ argv: setting('developer_instructions', text) }),
    },
    systemPromptFile: {
      flag: '-c model_instructions_file',
      give: path => ({ argv: setting('model_instructions_file', path) }),
    },
    permissionMode: words('-c sandbox_mode', {
      default: [],
      plan: setting('sandbox_mode', 'read-only'),
      acceptEdits: setting('sandbox_mode', 'workspace-write'),
      dontAsk: setting('approval_policy', 'never'),
      bypassPermissions: ['--dangerously-bypass-approvals-and-sandbox'],
    }),
    effort: words('-c model_reasoning_effort', {
      low: setting('model_reasoning_effort', 'low'),
      medium: setting('model_reasoning_effort', 'medium'),
      high: setting('model_reasoning_effort', 'high'),
      xhigh: setting('model_reasoning_effort', 'xhigh'),
    }),
    jsonSchema: {
      flag: '--output-schema',
      give: schema => ({ argv: ['--output-schema', { fileWith: schema }] }),
    },
    hermetic: {
      flag: '--ignore-user-config --ignore-rules',
      give: scope =>
        scope === 'project'
          ? { refused: 'ignores either all settings or none' }
          : { argv: ['--ignore-user-config', '--ignore-rules'] },
    },
    resume: session('exec resume'),
    noSessionPersistence: { flag: '--ephemeral', give: () => ({ argv: ['--ephemeral'] }) },
  },
  argv: ({ given, resume }): Argument[] => [
    'exec',
    ...(resume === undefined ? [] : ['resume']),
    '--json',
    ...given,
    ...(resume === undefined ? [] : [resume]),
    '-',
  ],
  env: () => ({}),
  // Its built-in provider cannot be configured; only a user's own entry can. Each failed request is then retried in one place.
  selfRetries: (settings, own) => {
    const { modelProvider, selfRetries = SELF_RETRIES_DEFAULT } = settings
    const name = modelProvider ?? (own && modelProviderOf(own))
    const log = own && withRequestLog(own)
    return {
      argv: [
        ...(modelProvider === undefined ? [] : setting('model_provider', modelProvider)),
        ...(name === undefined
          ? []
          : [
              ...['-c', `model_providers.${name}.request_max_retries=0`],
              ...['-c', `model_providers.${name}.stream_max_retries=${selfRetries}`],
            ]),
        ...(log?.argv ?? []),
      ],
      env: log?.env ?? {},
    }
  },
  watchText: watchRequests,
  // Lines of its tracing log, which successful runs print too.
  isNoise: line => /^\d{4}-\d\d-\d\dT[\d:.]+Z\s+(?:ERROR|WARN|INFO)\s/.test(line) || isRequestLog(line),
  connection: {
    trusts: 'system',
    asks: (own, { modelProvider }, endpoint) => {
      const configured = endpointIn(own, modelProvider)
      const url = endpoint ?? configured
      if (url === undefined) return undefined
      // Its log repeats what tools print, and anybody's code may print an address there.
      const isOwn = isSameOrigin(url, configured ?? OWN_VENDOR)
      return { url, key: isOwn ? keyOf(own, modelProvider) : undefined }
    },
  },
  login: async sources => byOwnProvider(sources) ?? byLogin(sources),
  loginPlace: {
    home: ({ CODEX_HOME: given }, user) => given || join(user, '.codex'),
    files: ['auth.json'],
    variables: ['CODEX_API_KEY', 'OPENAI_API_KEY'],
  },
}

/** Where it takes the key that it has without a config. */
const OWN_VENDOR = 'https://api.openai.com'

function isSameOrigin(one: string, other: string): boolean {
  const origin = URL.parse(one)?.origin
  return origin !== undefined && origin === URL.parse(other)?.origin
}

/** Where its config says that it asks; undefined for its own vendor, which depends on its login. */
function endpointIn(own: OwnFiles, modelProvider: string | undefined): string | undefined {
  const config = codexConfig(own)
  const name = modelProvider ?? modelProviderOf(own) ?? ''
  const { base_url: base } = objectIn(objectIn(config.model_providers)[name])
  const url = textIn(base) ?? (name === '' ? textIn(config.openai_base_url) : undefined)
  return url === undefined ? undefined : under(url, 'responses')
}

/** The header with the key of the provider that it uses; none for a login, whose token it renews itself. */
function keyOf(own: OwnFiles, modelProvider: string | undefined): Asks['key'] {
  const { env } = own
  const name = modelProvider ?? modelProviderOf(own)
  if (name === undefined) return keyIn(bearer(env.CODEX_API_KEY))
  const variable = textIn(objectIn(objectIn(codexConfig(own).model_providers)[name]).env_key)
  return variable === undefined ? undefined : keyIn(bearer(env[variable]))
}

/** A user's own provider has its own key, or needs none; the login says nothing about it. */
function byOwnProvider({ settings, ...own }: LoginSources): Login | undefined {
  const { env } = own
  const config = codexConfig(own)
  const name = settings.modelProvider ?? textIn(config.model_provider)
  if (name === undefined || name === 'openai') return undefined
  const entries = objectIn(config.model_providers)
  if (!Object.hasOwn(entries, name))
    return LOCAL.has(name)
      ? { state: 'unsure', why: `its provider ${name} runs on this machine and was not tested` }
      : { state: 'missing', why: `its config has no model_providers.${name}` }
  const entry = objectIn(entries[name])
  if (entry.requires_openai_auth === true) return undefined
  const key = textIn(entry.env_key)
  if (key === undefined) return { state: 'unsure', why: `its provider ${name} names no variable for its key` }
  return isGiven(env[key])
    ? { state: 'present', by: key }
    : { state: 'missing', why: `its provider ${name} takes its key from ${key}, which is not set` }
}

/** Built-in providers that need no key. */
const LOCAL = new Set(['ollama', 'lmstudio', 'oss'])

async function byLogin({ env, home, ask, readFile }: LoginSources): Promise<Login> {
  const key = ['CODEX_API_KEY', 'CODEX_ACCESS_TOKEN'].find(name => isGiven(env[name]))
  if (key !== undefined) return { state: 'present', by: key }
  const { exitCode } = await ask(['login', 'status'])
  if (exitCode !== 0) return { state: 'missing' }
  const file = readFile(join(env.CODEX_HOME || join(home, '.codex'), 'auth.json'))
  return file !== undefined && isWithoutLogin(file)
    ? { state: 'missing', why: 'its login file contains no login' }
    : { state: 'present', by: 'login', isTold: true }
}

/** codex only checks that this file exists. Besides the login it says how and when the login was made. */
function isWithoutLogin(text: string): boolean {
  const { auth_mode: _mode, last_refresh: _when, ...login } = jsonFile(text)
  const isEmpty = (value: unknown): boolean =>
    value === null || value === '' || (typeof value === 'object' && Object.values(value).every(isEmpty))
  return isEmpty(login)
}
